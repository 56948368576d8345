import type { InboxClient, SignIn } from 'holdpoint/client'
import { isUnreachable } from 'holdpoint/react'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { usePreferences } from '../app/preferences.tsx'
import { useInboxWords, useWords } from '../i18n/i18n.tsx'
import { tagOf } from '../i18n/language.ts'
import { Icon, Logo } from '../shell/icon.tsx'
import { useTheme } from '../theme/use-theme.ts'
import { takeCode } from './take-code.ts'
import { words } from './words.ts'
import './sign-in.css'

interface SignInProps {
  client: InboxClient
  /** The person was signed in until now. */
  ended: boolean
  /** The code of a one-time link, from the fragment of the address. */
  code?: string
  onSignedIn: () => void
}

type State = { step: 'ask' } | { step: 'sending' } | { step: 'failed'; with: 'code' | 'token'; error: unknown }

/** Signs in with the one-time code of the address, or with a token. */
export default function SignInView({ client, ended, code, onSignedIn }: SignInProps) {
  const text = useWords(words)
  const [state, setState] = useState<State>(code === undefined ? { step: 'ask' } : { step: 'sending' })
  const posted = useRef(false)
  const signIn = async (body: SignIn) => {
    setState({ step: 'sending' })
    try {
      await client.signIn(body)
      onSignedIn()
    } catch (error) {
      setState({ step: 'failed', with: 'code' in body ? 'code' : 'token', error })
    }
  }
  const latest = useRef(signIn)
  latest.current = signIn
  useEffect(() => {
    const taken = takeCode(code)
    // A code can be spent once, and effects may run twice.
    if (taken === undefined || posted.current) return
    posted.current = true
    void latest.current({ code: taken })
  }, [code])
  const withLink = posted.current || code !== undefined
  return (
    <main className="sign" id="main">
      <div className="sign-card">
        <div className="sign-brand">
          <Logo />
          <span>holdpoint</span>
        </div>
        {state.step === 'sending' && withLink ? (
          <div role="status">
            <h1>{text.working}</h1>
            <p>{text.workingText}</p>
          </div>
        ) : (
          <>
            <h1>{text.title}</h1>
            <p>{text.text}</p>
            {ended && state.step === 'ask' && (
              <p className="sign-problem" role="status">
                {text.ended}
              </p>
            )}
            {state.step === 'failed' && <Problem state={state} />}
            <TokenForm sending={state.step === 'sending'} onToken={(token) => void signIn({ token })} />
          </>
        )}
        <p className="sign-safe quiet">
          <Icon name="shield" />
          <span>{text.safe}</span>
        </p>
      </div>
      <Foot />
    </main>
  )
}

function Problem({ state }: { state: Extract<State, { step: 'failed' }> }) {
  const text = useWords(words)
  const { error } = state
  const said = problemOf(state, text)
  return (
    <div className="sign-problem" role="alert">
      <p>{said}</p>
      {said === text.codeSpent && (
        <p>
          {text.codeAgain} <code>npx holdpoint link</code>
        </p>
      )}
      {isUnreachable(error) && state.with === 'code' && (
        <button type="button" className="btn btn-small" onClick={() => location.reload()}>
          {text.again}
        </button>
      )}
    </div>
  )
}

function problemOf({ with: how, error }: Extract<State, { step: 'failed' }>, text: typeof words.en): string {
  const { status, detail } = (error ?? {}) as { status?: number; detail?: string }
  if (status === 429) return text.limited
  if (isUnreachable(error)) return text.unreachable
  if (status === 401 || status === 403 || status === 404) return how === 'code' ? text.codeSpent : text.refused
  return text.failed(detail ?? String(error))
}

function TokenForm({ sending, onToken }: { sending: boolean; onToken: (token: string) => void }) {
  const text = useWords(words)
  const id = useId()
  const [token, setToken] = useState('')
  const [missing, setMissing] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const pasted = token.trim()
    setMissing(pasted === '')
    if (pasted !== '' && !sending) onToken(pasted)
  }
  return (
    <form onSubmit={submit} noValidate>
      <label className="label" htmlFor={id}>
        {text.token}
      </label>
      <input
        id={id}
        className="input mono"
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={token}
        aria-invalid={missing || undefined}
        aria-describedby={`${id}-hint`}
        onChange={(event) => setToken(event.currentTarget.value)}
      />
      <span id={`${id}-hint`} className={missing ? 'hint hint-bad' : 'hint'} role={missing ? 'alert' : undefined}>
        {missing ? text.missing : text.tokenHint}
      </span>
      <button type="submit" className="btn btn-go btn-wide" aria-disabled={sending || undefined}>
        {sending ? text.sending : text.go}
      </button>
    </form>
  )
}

function Foot() {
  const { shell } = useInboxWords()
  const theme = useTheme()
  const [{ language }, change] = usePreferences()
  const other = language === 'zh' ? 'en' : 'zh'
  const otherTheme = theme === 'dark' ? 'light' : 'dark'
  return (
    <div className="sign-foot">
      <button type="button" className="link" lang={tagOf[other]} onClick={() => change({ language: other })}>
        {other === 'zh' ? '中文' : 'English'}
      </button>
      <button type="button" className="link" onClick={() => change({ theme: otherTheme })}>
        {otherTheme === 'dark' ? shell.darkTheme : shell.lightTheme}
      </button>
    </div>
  )
}
