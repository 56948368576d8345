import type { RequestDetail } from 'holdpoint/client'
import { type ReactNode, useEffect, useState } from 'react'
import { actionLabel, headlineOf } from '../card/headline.ts'
import type { Edit } from '../edit/use-edit.ts'
import { useFormat, useInboxWords } from '../i18n/i18n.tsx'
import { Kbd } from '../keyboard/kbd.tsx'
import { isComposing } from '../keyboard/typing.ts'
import { useKeys } from '../keyboard/use-keys.ts'
import { Icon } from '../shell/icon.tsx'
import { ApproveButton, DangerButton, HoldButton } from './approve-button.tsx'
import { gateOf, isTyped } from './gate.ts'
import type { Mode } from './mode.ts'

interface ApproveBarProps {
  detail: RequestDetail
  edit: Edit | undefined
  /** The sentence of a grant that goes with the approval. */
  grant: string | undefined
  undoSeconds: number
  offline: boolean
  resting: boolean
  sending: boolean
  onMode: (mode: Mode) => void
  onApprove: () => void
}

/** The bar's frame: a note above the actions, as high for every request. */
export function Bar({ note, before, children }: { note: ReactNode; before?: ReactNode; children: ReactNode }) {
  const { verdict } = useInboxWords()
  return (
    <section className="verdict" aria-label={verdict.region}>
      <div className="verdict-in">
        <div className="verdict-note">
          <p className="verdict-text" id="verdict-note">
            {note}
          </p>
          {before}
        </div>
        <div className="verdict-acts">{children}</div>
      </div>
    </section>
  )
}

/** Decides a call: reject on the left, approve on the right, always in the same place. */
export function ApproveBar(props: ApproveBarProps) {
  const { detail, edit, grant, resting, sending, onMode, onApprove } = props
  const { verdict } = useInboxWords()
  const { locale } = useFormat()
  const { request, changes } = detail
  const [typed, setTyped] = useState('')
  const [read, setRead] = useState(false)
  const gate = gateOf(request)
  const label = actionLabel(headlineOf(request, { locale, ...(edit?.changed.length ? { args: edit.args } : {}) }))
  const passed =
    (changes.length === 0 || read) &&
    (gate.kind !== 'type' || isTyped(typed, gate.word)) &&
    (edit === undefined || edit.ready)
  const disabled = !passed || sending
  const possible = gate.kind === 'arm' && !disabled && !resting && edit === undefined
  const armed = useArmed(possible, { a: onApprove }) === 'a'
  const can = (decision: 'edit' | 'reject' | 'respond') => request.allowedDecisions.includes(decision)
  useKeys({
    ...(can('reject') && !edit ? { r: () => !resting && onMode('reject') } : {}),
    ...(can('respond') && !edit ? { s: () => !resting && onMode('respond') } : {}),
    ...(can('edit') && !edit ? { e: () => !resting && onMode('edit') } : {}),
    ...(edit ? { escape: () => onMode('read') } : {}),
  })
  const button = {
    label: sending ? verdict.sending : grant === undefined ? label : verdict.andAllow(label),
    disabled,
    resting,
    onApprove,
  }
  return (
    <Bar
      note={noteOf(props, verdict)}
      before={
        <>
          {changes.length > 0 && (
            <label className="check ack">
              <input type="checkbox" checked={read} onChange={(event) => setRead(event.target.checked)} />
              <span>{verdict.ack(changes.length)}</span>
            </label>
          )}
          {gate.kind === 'type' && (
            <TypedWord
              word={gate.word}
              typed={typed}
              onTyped={setTyped}
              onEnter={() => !disabled && !resting && onApprove()}
            />
          )}
        </>
      }
    >
      {edit ? (
        <button type="button" className="btn" onClick={() => onMode('read')}>
          {verdict.discard}
          <Kbd keys={['Esc']} />
        </button>
      ) : (
        <OtherVerdicts can={can} resting={resting || sending} onMode={onMode} />
      )}
      {gate.kind === 'hold' ? (
        <HoldButton {...button} />
      ) : gate.kind === 'type' ? (
        <DangerButton {...button} />
      ) : (
        <ApproveButton {...button} armed={armed} keys={edit ? ['⌘', '↵'] : ['A']} />
      )}
    </Bar>
  )
}

function noteOf(
  { detail, edit, grant, undoSeconds, offline }: ApproveBarProps,
  verdict: ReturnType<typeof useInboxWords>['verdict'],
): string {
  if (offline) return verdict.offlineNote
  if (edit) {
    if (edit.changed.length === 0) return verdict.noChanges
    return edit.ready ? verdict.changesNote(edit.changed.length) : verdict.fixFirst
  }
  if (grant !== undefined) return verdict.grantNote(grant)
  if (detail.request.risk === 'high') return verdict.highNote
  return undoSeconds > 0 ? verdict.undoNote(undoSeconds) : verdict.noUndoNote
}

interface OtherProps {
  can: (decision: 'edit' | 'reject' | 'respond') => boolean
  resting: boolean
  onMode: (mode: Mode) => void
}

function OtherVerdicts({ can, resting, onMode }: OtherProps) {
  const { verdict } = useInboxWords()
  const open = (mode: Mode) => () => {
    if (!resting) onMode(mode)
  }
  const common = { type: 'button', 'aria-disabled': resting, 'data-resting': resting || undefined } as const
  return (
    <>
      {can('reject') && (
        <button {...common} className="btn btn-no" onClick={open('reject')}>
          <Icon name="x" />
          {verdict.reject}
          <Kbd keys={['R']} />
        </button>
      )}
      {can('respond') && (
        <button {...common} className="btn act-small" onClick={open('respond')}>
          <Icon name="reply" />
          <span>{verdict.answer}</span>
          <Kbd keys={['S']} />
        </button>
      )}
      {can('edit') && (
        <button {...common} className="btn act-small" onClick={open('edit')}>
          <Icon name="pen" />
          <span>{verdict.edit}</span>
          <Kbd keys={['E']} />
        </button>
      )}
    </>
  )
}

function TypedWord({
  word,
  typed,
  onTyped,
  onEnter,
}: {
  word: string
  typed: string
  onTyped: (text: string) => void
  onEnter: () => void
}) {
  const { verdict } = useInboxWords()
  const [before = '', after = ''] = verdict.type(word).split(word)
  return (
    <label className="typed">
      <span>
        {before}
        <code>{word}</code>
        {after}
      </span>
      <input
        className="input mono"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => onTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !isComposing(event.nativeEvent)) onEnter()
        }}
      />
    </label>
  )
}

/** What has an Enter of its own while it has the focus. That of the row which is being read would only open it once more. */
const OWN_ENTER = 'button:not(#approve), summary, input, a:not(.row-link[aria-current])'

/**
 * The first key arms, Enter confirms, Escape disarms. No single key decides. One verdict is armed at a time: that of the last key. Any other letter
 * disarms, and so does leaving the window: words that were meant for another window, and end with Enter, are no verdict.
 */
export function useArmed<K extends string>(
  possible: boolean,
  verdicts: Readonly<Record<K, () => void>>,
): K | undefined {
  const [armed, setArmed] = useState<K>()
  useEffect(() => {
    if (!possible) setArmed(undefined)
  }, [possible])
  useEffect(() => {
    if (armed === undefined) return
    const disarm = () => setArmed(undefined)
    const onKey = ({ key }: KeyboardEvent) => {
      if (key.length === 1 && key !== ' ') disarm()
    }
    // Before the keys of the page: that which arms arms again.
    addEventListener('keydown', onKey, { capture: true })
    addEventListener('blur', disarm)
    return () => {
      removeEventListener('keydown', onKey, { capture: true })
      removeEventListener('blur', disarm)
    }
  }, [armed])
  const keys = Object.keys(verdicts) as K[]
  useKeys({
    ...Object.fromEntries(keys.map((key) => [key, () => possible && setArmed(key)])),
    ...(armed !== undefined
      ? {
          escape: () => setArmed(undefined),
          enter: (event) => {
            const target = event.target instanceof Element ? event.target : undefined
            if (target?.closest(OWN_ENTER)) return false
            setArmed(undefined)
            verdicts[armed]()
          },
        }
      : {}),
  })
  return possible ? armed : undefined
}
