import { onTestFinished } from 'vitest'
import type { Store } from '../../src/index.ts'
import type { Happening } from '../../src/webhooks/happening.ts'
import { toWebhookSettings, type WebhookOptions } from '../../src/webhooks/options.ts'
import type { DeliveryOutcome } from '../../src/webhooks/sending/sender.ts'
import { startWebhooks } from '../../src/webhooks/start-webhooks.ts'
import { addTarget, type WebhookEvent } from '../../src/webhooks/targets/targets.ts'

/** The timeout is longer than a receiver on a busy machine takes: what times out is sent again. */
const LOCAL: WebhookOptions = { allowNetworks: ['127.0.0.0/8'], timeoutSeconds: 20 }

/** What a process that sends webhooks told. */
export interface Running {
  outcomes: DeliveryOutcome[]
  happenings: Happening[]
  errors: unknown[]
  stop(graceMs?: number): Promise<void>
}

/** Sends webhooks of a store until the test is over. Resolves when its cursor is set: what happens from now on is told. */
export async function sending(store: Store, options: WebhookOptions = {}): Promise<Running> {
  const told: Omit<Running, 'stop'> = { outcomes: [], happenings: [], errors: [] }
  const running = startWebhooks({
    store,
    settings: toWebhookSettings({ ...LOCAL, ...options }),
    onHappening: (each) => void told.happenings.push(each),
    onOutcome: (each) => void told.outcomes.push(each),
    onError: (error) => void told.errors.push(error),
  })
  const stop = (graceMs = 2000): Promise<void> => running.stop(graceMs)
  onTestFinished(() => stop(0))
  while (!(await store.tenant('default').readRecord('cursor', 'webhooks'))) await new Promise(setImmediate)
  return { ...told, stop }
}

/** Adds a target of this machine. Resolves to its id and secret. */
export async function target(
  store: Store,
  url: string,
  events?: readonly WebhookEvent[],
): Promise<{ id: string; secret: string }> {
  const settings = toWebhookSettings(LOCAL)
  const now = store.clock?.now() ?? Date.now()
  const { id, secret = '' } = await addTarget(
    store,
    { url, by: 'ada', ...(events ? { events } : {}) },
    { settings, now },
  )
  return { id, secret }
}
