import { z } from 'zod'
import { lazy } from '../checks/lazy.ts'

const time = lazy(() => z.iso.datetime())

/** A place that is told about requests. Its secret is shown once. */
export const webhook = lazy(() =>
  z.object({
    id: z.string(),
    url: z.string(),
    events: z.array(
      z.enum(['request.opened', 'request.decided', 'request.escalated', 'request.expired', 'request.closed']),
    ),
    enabled: z.boolean(),
    createdAt: time(),
    createdBy: z.string(),
    secret: z.string().exactOptional(),
  }),
)
/** A place that is told about requests. */
export type Webhook = z.infer<ReturnType<typeof webhook>>
/** Adds a webhook. */
export const webhookBody = lazy(() => z.strictObject({ url: z.url(), events: webhook().shape.events.exactOptional() }))
/** Adds a webhook. */
export type WebhookBody = z.infer<ReturnType<typeof webhookBody>>
/** Pauses a webhook, or lets it go on. */
export const webhookChange = lazy(() => z.strictObject({ enabled: z.boolean() }))
/** Pauses a webhook, or lets it go on. */
export type WebhookChange = z.infer<ReturnType<typeof webhookChange>>
/** One message to a webhook. */
export const delivery = lazy(() =>
  z.object({
    id: z.string(),
    webhook: z.string(),
    event: z.string(),
    request: z.string(),
    version: z.number(),
    status: z.enum(['waiting', 'delivered', 'failed']),
    attempts: z.number(),
    lastError: z.string().exactOptional(),
    nextAt: time().exactOptional(),
    createdAt: time(),
  }),
)
/** One message to a webhook. */
export type Delivery = z.infer<ReturnType<typeof delivery>>
