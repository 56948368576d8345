import { startWebhooks } from '../../webhooks/start-webhooks.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { repeatedErrors } from '../log.ts'

/** Sends webhooks for all tenants of the gateway's store, and counts what happens. Returns how to stop. */
export function runWebhooks({ store, settings, metrics, logger }: GatewayParts): (graceMs: number) => Promise<void> {
  if (!store || !settings.sendsWebhooks) return () => Promise.resolve()
  const running = startWebhooks({
    store,
    settings: settings.webhooks,
    onHappening: (happening) => metrics.happened(happening),
    onLag: (ms) => metrics.webhooksLag(ms),
    onOutcome: (outcome) => metrics.webhookTried(outcome),
    onError: repeatedErrors(logger),
  })
  return (graceMs) => running.stop(graceMs)
}
