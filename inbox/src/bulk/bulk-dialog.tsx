import type { RequestItem } from 'holdpoint/client'
import { useDecide } from 'holdpoint/react'
import { useId, useState } from 'react'
import { headlineOf, iconOf, plainHeadline } from '../card/headline.ts'
import { SafeText } from '../card/values/safe-text.tsx'
import { useFormat, useInboxWords } from '../i18n/i18n.tsx'
import { RiskMark } from '../queue/risk.tsx'
import { useAnnounce } from '../shell/announcer.tsx'
import { Dialog } from '../shell/dialog.tsx'
import { Icon } from '../shell/icon.tsx'
import { useToasts } from '../verdict/toasts.tsx'
import { useRested } from '../verdict/use-rested.ts'
import { MOST, sumOf } from './selection.ts'

interface BulkDialogProps {
  kind: 'approve' | 'reject'
  requests: readonly RequestItem[]
  onClose: () => void
  onDone: (ids: readonly string[]) => void
}

/** Decides exactly the requests that it lists, as they are listed. What changes while it is open is left out, and said. */
export default function BulkDialog({ kind, requests, onClose, onDone }: BulkDialogProps) {
  const { bulk, verdict } = useInboxWords()
  const format = useFormat()
  const deciding = useDecide()
  const announce = useAnnounce()
  const toasts = useToasts()
  const [listed, setListed] = useState(() => requests.slice(0, MOST))
  const [words, setWords] = useState({ told: '', record: '' })
  const [state, setState] = useState<{ sending: boolean; problem?: string }>({ sending: false })
  const resting = !useRested(kind)
  const changed = listed
    .filter(({ id, version }) => requests.find((each) => each.id === id)?.version !== version)
    .map(({ id }) => id)
  const left = listed.filter(({ id }) => !changed.includes(id))
  const disabled = state.sending || resting || left.length === 0
  const decide = async () => {
    setState({ sending: true })
    const comment = words.record.trim() === '' ? {} : { comment: words.record.trim() }
    const message = words.told.trim() === '' ? {} : { message: words.told.trim() }
    try {
      const outcomes = await deciding.decideAll(left, {
        decision: kind === 'approve' ? { type: 'approve' } : { type: 'reject', ...message },
        ...comment,
      })
      const done = outcomes.filter(({ ok }) => ok).map(({ id }) => id)
      const text = kind === 'approve' ? verdict.toast.bulk(done.length) : verdict.toast.bulkReject(done.length)
      if (done.length > 0) toasts.add({ ids: done, text, runs: kind === 'approve' })
      const out = outcomes.length - done.length
      announce(out === 0 ? text : `${text}. ${bulk.leftOut(out)}.`)
      setListed((before) => before.filter(({ id }) => !done.includes(id)))
      onDone(done)
      if (out === 0) onClose()
      else setState({ sending: false, problem: bulk.leftOut(out) })
    } catch (error) {
      setState({ sending: false, problem: error instanceof Error ? error.message : String(error) })
    }
  }
  return (
    <Dialog
      title={kind === 'approve' ? bulk.approveThese(left.length) : bulk.rejectThese(left.length)}
      narrow
      onClose={onClose}
    >
      <ul className="check-list">
        {listed.map((request) => (
          <Listed key={request.id} request={request} changed={changed.includes(request.id)} />
        ))}
      </ul>
      {kind === 'reject' && <Words words={words} onChange={setWords} />}
      <p className="quiet">{kind === 'approve' ? bulk.only : bulk.onlyReject}</p>
      {state.problem !== undefined && (
        <p className="hint hint-bad" role="alert">
          <SafeText text={state.problem} />
        </p>
      )}
      <div className="dialog-acts">
        <button type="button" className="btn" onClick={onClose}>
          {bulk.back}
        </button>
        <button
          type="button"
          className={`btn ${kind === 'approve' ? 'btn-go' : 'btn-danger'}`}
          data-resting={resting || undefined}
          aria-disabled={disabled}
          onClick={() => !disabled && void decide()}
        >
          {state.sending
            ? bulk.sending
            : kind === 'approve'
              ? bulk.run(left.length, sumOf(left, format))
              : bulk.rejectAll(left.length)}
        </button>
      </div>
    </Dialog>
  )
}

function Listed({ request, changed }: { request: RequestItem; changed: boolean }) {
  const { bulk, card } = useInboxWords()
  const { locale } = useFormat()
  return (
    <li data-out={changed || undefined}>
      <span className="check-icon">
        <Icon name={iconOf(request)} />
      </span>
      <span className="check-what">
        <strong>
          <SafeText text={plainHeadline(headlineOf(request, { locale }))} />
        </strong>
        <span className="quiet">
          {changed ? bulk.changed : <SafeText text={request.agent} />} · {card.seal}{' '}
          <code>{request.digest?.replace(/^sha256:/, '').slice(0, 8)}</code>
        </span>
      </span>
      {request.risk !== undefined && <RiskMark risk={request.risk} />}
    </li>
  )
}

interface WordsProps {
  words: { told: string; record: string }
  onChange: (words: { told: string; record: string }) => void
}

function Words({ words, onChange }: WordsProps) {
  const { bulk } = useInboxWords()
  return (
    <div className="panel-fields">
      <WordsField label={bulk.told} text={words.told} onChange={(told) => onChange({ ...words, told })} />
      <WordsField label={bulk.record} text={words.record} onChange={(record) => onChange({ ...words, record })} />
    </div>
  )
}

function WordsField({ label, text, onChange }: { label: string; text: string; onChange: (text: string) => void }) {
  const id = useId()
  return (
    <div>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <textarea id={id} className="input" rows={2} value={text} onChange={(event) => onChange(event.target.value)} />
    </div>
  )
}
