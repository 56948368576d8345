import type { Webhook } from 'holdpoint/client'
import { useClient } from 'holdpoint/react'
import { type FormEvent, useId, useState } from 'react'
import { useWords } from '../i18n/i18n.tsx'
import { useReason } from '../view/loading.tsx'
import { words } from './words.ts'

type WebhookEvent = Webhook['events'][number]

const EVENTS: readonly WebhookEvent[] = [
  'request.opened',
  'request.decided',
  'request.escalated',
  'request.expired',
  'request.closed',
]

/** Adds a server that is told about requests. */
export function AddWebhook({ onAdded }: { onAdded: (webhook: Webhook) => void }) {
  const text = useWords(words)
  const client = useClient()
  const reasonOf = useReason()
  const id = useId()
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState(EVENTS)
  const [state, setState] = useState<{ working: boolean; problem?: string }>({ working: false })
  const add = async () => {
    setState({ working: true })
    try {
      onAdded(await client.webhooks.add({ url, events: [...events] }))
      setUrl('')
      setState({ working: false })
    } catch (error) {
      setState({ working: false, problem: reasonOf(error) })
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!state.working && url !== '') void add()
  }
  const turn = (event: WebhookEvent, on: boolean) =>
    setEvents((before) => EVENTS.filter((each) => (each === event ? on : before.includes(each))))
  return (
    <form className="webhook-add" onSubmit={submit}>
      <div className="form-row">
        <label className="label" htmlFor={id}>
          {text.url}
        </label>
        <input
          id={id}
          className="input mono"
          type="url"
          required
          placeholder="https://example.com/holdpoint"
          value={url}
          aria-describedby={`${id}-hint`}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <span id={`${id}-hint`} className="hint">
          {text.urlHint}
        </span>
      </div>
      <fieldset className="choice">
        <legend className="label">{text.events}</legend>
        <div className="choice-options">
          {EVENTS.map((event) => (
            <label key={event} className="check">
              <input
                type="checkbox"
                checked={events.includes(event)}
                onChange={(change) => turn(event, change.currentTarget.checked)}
              />
              <span>{text.event[event]}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {state.problem !== undefined && (
        <p className="hint hint-bad" role="alert">
          {state.problem}
        </p>
      )}
      <button type="submit" className="btn" aria-disabled={state.working || events.length === 0 || undefined}>
        {state.working ? text.adding : text.add}
      </button>
    </form>
  )
}
