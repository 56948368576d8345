import type { Webhook } from 'holdpoint/client'
import { useClient } from 'holdpoint/react'
import { useCallback, useState } from 'react'
import { useWords } from '../i18n/i18n.tsx'
import { Dialog } from '../shell/dialog.tsx'
import { Failure, Skeleton } from '../view/loading.tsx'
import { AddWebhook } from './add-webhook.tsx'
import { Group } from './group.tsx'
import { useLoad } from './use-load.ts'
import { WebhookRow } from './webhook-row.tsx'
import { words } from './words.ts'

/** Webhooks of the tenant, for admins. */
export function Webhooks() {
  const text = useWords(words)
  const client = useClient()
  const [load, reload] = useLoad(useCallback(() => client.webhooks.list(), [client]))
  const [secret, setSecret] = useState<string>()
  const withSecret = (webhook: Webhook) => {
    setSecret(webhook.secret)
    void reload()
  }
  return (
    <Group title={text.webhooks} text={text.webhooksText}>
      {load.state === 'loading' && <Skeleton lines={2} />}
      {load.state === 'failed' && <Failure error={load.error} onRetry={() => void reload()} />}
      {load.state === 'ready' && load.data.webhooks.length === 0 && <p className="quiet">{text.noWebhooks}</p>}
      {load.state === 'ready' && (
        <ul className="webhooks">
          {load.data.webhooks.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} onSecret={withSecret} onChanged={() => void reload()} />
          ))}
        </ul>
      )}
      <AddWebhook onAdded={withSecret} />
      {secret !== undefined && <Secret secret={secret} onClose={() => setSecret(undefined)} />}
    </Group>
  )
}

function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const text = useWords(words)
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard?.writeText(secret)
    setCopied(true)
  }
  return (
    <Dialog title={text.secretTitle} narrow onClose={onClose}>
      <p>{text.secretText}</p>
      <p className="secret">
        <code>{secret}</code>
      </p>
      <div className="dialog-acts">
        <button type="button" className="btn" onClick={() => void copy()}>
          {copied ? text.copied : text.copy}
        </button>
        <button type="button" className="btn btn-go" onClick={onClose}>
          {text.done}
        </button>
      </div>
    </Dialog>
  )
}
