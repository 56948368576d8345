import { type FormEvent, useEffect, useId, useRef } from 'react'
import { useInboxWords } from '../i18n/i18n.tsx'
import { Kbd } from '../keyboard/kbd.tsx'
import { isComposing } from '../keyboard/typing.ts'
import { Icon } from '../shell/icon.tsx'
import { useDraft } from './drafts.tsx'

interface PanelProps {
  /** The request and its version. */
  about: string
  kind: 'reject' | 'respond' | 'cancel'
  /** Whether the first field takes the focus. */
  focus: boolean
  resting: boolean
  sending: boolean
  onBack: () => void
  onSend: (words: { told: string; record: string }) => void
}

/** Rejects a call, answers in its place, or says why a question cannot be answered. Words for the record have a field of their own: they never reach the agent. */
export function Panel({ about, kind, focus, resting, sending, onBack, onSend }: PanelProps) {
  const { verdict } = useInboxWords()
  const [told, setTold] = useDraft(`${about} ${kind} told`, '')
  const [record, setRecord] = useDraft(`${about} ${kind} record`, '')
  const first = useRef<HTMLTextAreaElement>(null)
  const ids = { told: useId(), record: useId(), hint: useId() }
  const text = verdict.panel[kind]
  const missing = kind !== 'reject' && told.trim() === ''
  useEffect(() => {
    if (focus) first.current?.focus()
  }, [focus])
  const send = (event?: FormEvent) => {
    event?.preventDefault()
    if (!missing && !resting && !sending) onSend({ told: told.trim(), record: record.trim() })
  }
  return (
    <form
      className="verdict verdict-panel"
      aria-label={text.title}
      onSubmit={send}
      onKeyDown={(event) => {
        if (isComposing(event.nativeEvent)) return
        if (event.key === 'Escape') {
          // It closes the panel alone: what is selected stays.
          event.preventDefault()
          onBack()
        }
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) send(event)
      }}
    >
      <div className="verdict-in">
        {text.reasons.length > 0 && (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset would ask for a legend that nobody needs to see
          <div className="chips" role="group" aria-label={verdict.canned}>
            {text.reasons.map((reason) => (
              <button
                key={reason}
                type="button"
                className="chip"
                aria-pressed={told === reason}
                onClick={() => setTold(reason)}
              >
                {reason}
              </button>
            ))}
          </div>
        )}
        <div className="panel-fields">
          <div>
            <label className="label" htmlFor={ids.told}>
              {text.told}
            </label>
            <textarea
              id={ids.told}
              ref={first}
              className="input"
              rows={3}
              value={told}
              maxLength={10_000}
              aria-describedby={ids.hint}
              placeholder={text.example}
              onChange={(event) => setTold(event.target.value)}
            />
            <span className="hint" id={ids.hint}>
              {missing ? verdict.needWords : text.hint}
            </span>
          </div>
          {kind !== 'cancel' && (
            <div>
              <label className="label" htmlFor={ids.record}>
                {verdict.record}
              </label>
              <textarea
                id={ids.record}
                className="input"
                rows={3}
                value={record}
                maxLength={10_000}
                onChange={(event) => setRecord(event.target.value)}
              />
              <span className="hint">
                <Icon name="lock" />
                {verdict.recordHint}
              </span>
            </div>
          )}
        </div>
        <div className="verdict-acts">
          <button type="button" className="btn" onClick={onBack}>
            {verdict.back}
            <Kbd keys={['Esc']} />
          </button>
          <button
            type="submit"
            className={`btn ${kind === 'respond' ? 'btn-ink' : 'btn-danger'}`}
            aria-disabled={missing || resting || sending}
          >
            {sending ? verdict.sending : text.go}
            <Kbd keys={['⌘', '↵']} />
          </button>
        </div>
      </div>
    </form>
  )
}
