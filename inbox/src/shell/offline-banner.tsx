import { useDecide, useLive } from 'holdpoint/react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useInboxWords } from '../i18n/i18n.tsx'
import { heldOf } from '../verdict/held.ts'
import { Icon } from './icon.tsx'

const HeldDialog = lazy(() => import('../verdict/held-dialog.tsx'))

/** A connection that is lost this short a time is not worth a word. */
const PATIENCE_MS = 1500

/** Says that there is no connection, and what is kept until there is. It lies over the top bar: nothing on the page moves. */
export function OfflineBanner() {
  const {
    verdict: { offline: words },
  } = useInboxWords()
  const { state, retry } = useLive()
  const deciding = useDecide()
  const offline = useLasting(state === 'offline', PATIENCE_MS)
  const [checking, setChecking] = useState(false)
  const held = heldOf(deciding.all).length
  useWarnBeforeLeaving(held > 0)
  useEffect(() => {
    if (held === 0) setChecking(false)
  }, [held])
  // Each new reason to speak is spoken, also if the one before was hidden.
  const reason = `${offline} ${held}`
  const [hiddenFor, setHiddenFor] = useState<string>()
  const back = state === 'live' && held > 0
  const shown = (offline || back) && hiddenFor !== reason && !checking
  useCovered(shown)
  if (checking && held > 0)
    return (
      <Suspense>
        <HeldDialog onClose={() => setChecking(false)} />
      </Suspense>
    )
  if (!shown) return null
  return (
    <div className="banner" role="status">
      <Icon name="offline" />
      <span className="banner-text">
        <strong>{back ? words.back : words.title}</strong>{' '}
        {!back && <span className="banner-more">{words.readable} </span>}
        {held > 0 && words.kept(held)}
      </span>
      {back ? (
        <button type="button" className="btn btn-small" onClick={() => setChecking(true)}>
          {words.review(held)}
        </button>
      ) : (
        <button type="button" className="btn btn-small" onClick={retry}>
          {words.tryNow}
        </button>
      )}
      <button type="button" className="icon-btn" aria-label={words.hide} onClick={() => setHiddenFor(reason)}>
        <Icon name="x" />
      </button>
    </div>
  )
}

/** The top bar lies under the banner: nothing that cannot be seen takes the focus. */
function useCovered(covered: boolean): void {
  useEffect(() => {
    const bar = document.querySelector<HTMLElement>('.top')
    if (!covered || !bar) return
    bar.inert = true
    return () => {
      bar.inert = false
    }
  }, [covered])
}

/** Whether something has been so for a while. */
function useLasting(now: boolean, ms: number): boolean {
  const [lasting, setLasting] = useState(false)
  useEffect(() => {
    if (!now) return setLasting(false)
    const timer = setTimeout(() => setLasting(true), ms)
    return () => clearTimeout(timer)
  }, [now, ms])
  return now && lasting
}

/** What is kept here is lost with the window: the browser asks before it closes. */
function useWarnBeforeLeaving(warn: boolean): void {
  useEffect(() => {
    if (!warn) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [warn])
}
