import type { Delivery, Webhook } from 'holdpoint/client'
import { useClient } from 'holdpoint/react'
import { useCallback, useState } from 'react'
import { SafeCode, SafeText } from '../card/values/safe-text.tsx'
import { useFormat, useWords } from '../i18n/i18n.tsx'
import { Dialog } from '../shell/dialog.tsx'
import { Failure, Skeleton } from '../view/loading.tsx'
import { useLoad } from './use-load.ts'
import { words } from './words.ts'

interface WebhookRowProps {
  webhook: Webhook
  /** A new secret was made. */
  onSecret: (webhook: Webhook) => void
  onChanged: () => void
}

/** One webhook: what it is told, its messages, a new secret, a test. */
export function WebhookRow({ webhook, onSecret, onChanged }: WebhookRowProps) {
  const text = useWords(words)
  const { webhooks } = useClient()
  const [asked, setAsked] = useState(false)
  const [tested, setTested] = useState<Delivery['status']>()
  const [problem, setProblem] = useState<unknown>()
  const attempt = async (action: () => Promise<void>) => {
    setProblem(undefined)
    try {
      await action()
    } catch (error) {
      setProblem(error)
    }
  }
  return (
    <li className="webhook">
      <p className="webhook-url">
        <SafeCode text={webhook.url} />
        <span className="quiet">
          {webhook.events.map((event) => text.event[event]).join(', ')}
          {!webhook.enabled && <span className="tag tag-warn">{text.paused}</span>}
        </span>
      </p>
      <div className="webhook-actions">
        <button
          type="button"
          className="btn btn-small"
          onClick={() => void attempt(async () => setTested((await webhooks.test(webhook.id)).status))}
        >
          {text.test}
        </button>
        <button
          type="button"
          className="btn btn-small"
          onClick={() =>
            void attempt(async () => {
              await webhooks.change(webhook.id, { enabled: !webhook.enabled })
              onChanged()
            })
          }
        >
          {webhook.enabled ? text.pause : text.resume}
        </button>
        <button
          type="button"
          className="btn btn-small"
          onClick={() => void attempt(async () => onSecret(await webhooks.rotate(webhook.id)))}
        >
          {text.rotate}
        </button>
        <button type="button" className="btn btn-small btn-no" onClick={() => setAsked(true)}>
          {text.remove}
        </button>
      </div>
      <p role="status" className="quiet">
        {tested !== undefined && text.tested[tested]}
      </p>
      {problem !== undefined && <Failure error={problem} />}
      <Messages id={webhook.id} />
      {asked && (
        <Dialog title={text.removeTitle} narrow onClose={() => setAsked(false)}>
          <p>{text.removeText}</p>
          <div className="dialog-acts">
            <button type="button" className="btn" onClick={() => setAsked(false)}>
              {text.keep}
            </button>
            <button
              type="button"
              className="btn btn-danger"
              onClick={() => {
                setAsked(false)
                void attempt(async () => {
                  await webhooks.remove(webhook.id)
                  onChanged()
                })
              }}
            >
              {text.remove}
            </button>
          </div>
        </Dialog>
      )}
    </li>
  )
}

function Messages({ id }: { id: string }) {
  const text = useWords(words)
  const [open, setOpen] = useState(false)
  return (
    <details className="webhook-messages" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{text.deliveries}</summary>
      {open && <MessageList id={id} />}
    </details>
  )
}

function MessageList({ id }: { id: string }) {
  const text = useWords(words)
  const { webhooks } = useClient()
  const [load, reload] = useLoad(useCallback(() => webhooks.deliveries(id), [webhooks, id]))
  const [problem, setProblem] = useState<unknown>()
  const resend = async (delivery: string) => {
    try {
      await webhooks.resend(delivery)
      await reload()
    } catch (error) {
      setProblem(error)
    }
  }
  if (load.state === 'loading') return <Skeleton lines={2} />
  if (load.state === 'failed') return <Failure error={load.error} onRetry={() => void reload()} />
  if (load.data.deliveries.length === 0) return <p className="quiet">{text.noDeliveries}</p>
  return (
    <div className="data-scroll">
      {problem !== undefined && <Failure error={problem} />}
      <table className="data">
        <caption className="sr">{text.deliveries}</caption>
        <thead>
          <tr>
            {[text.deliveryHead.event, text.deliveryHead.status, text.deliveryHead.tries, text.deliveryHead.when].map(
              (name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ),
            )}
            <td />
          </tr>
        </thead>
        <tbody>
          {load.data.deliveries.map((delivery) => (
            <MessageRow key={delivery.id} delivery={delivery} onResend={() => void resend(delivery.id)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function MessageRow({ delivery, onResend }: { delivery: Delivery; onResend: () => void }) {
  const text = useWords(words)
  const format = useFormat()
  return (
    <tr>
      <th scope="row">
        <SafeCode text={delivery.event} />
      </th>
      <td>
        <span className={delivery.status === 'failed' ? 'warn-text' : undefined}>{text.delivery[delivery.status]}</span>
        {delivery.lastError !== undefined && (
          <span className="quiet webhook-error">
            <SafeText text={delivery.lastError} />
          </span>
        )}
      </td>
      <td className="num">{delivery.attempts}</td>
      <td className="num">{format.day(Date.parse(delivery.createdAt))}</td>
      <td>
        {delivery.status === 'failed' && (
          <button type="button" className="btn btn-small" onClick={onResend}>
            {text.resend}
          </button>
        )}
      </td>
    </tr>
  )
}
