import { hash } from 'node:crypto'
import { z } from 'zod'
import type { RecordChange } from '../ports/records.ts'
import { type Delivery, delivery as shownDelivery } from '../protocol/api/webhooks.ts'
import { lazy } from '../protocol/checks/lazy.ts'

/**
 * The kind of records that hold deliveries. Deliveries, their queue and the cursor are records of `SYSTEM_TENANT`, so that one write can change all of
 * them. The id of a delivery's record begins with a hash of the tenant that the delivery is for.
 */
export const DELIVERY = 'delivery'
/** The kind of records that say when a delivery is due. Their ids are in the order of time. */
export const DUE = 'delivery-due'

const DAY_MS = 24 * 60 * 60 * 1000
/** How long a delivery is kept after its last change. */
const KEPT_MS = { waiting: 30 * DAY_MS, delivered: 7 * DAY_MS, failed: 30 * DAY_MS }

const stored = lazy(() =>
  z.object({
    tenant: z.string(),
    event: z.string(),
    request: z.string(),
    version: z.number(),
    status: shownDelivery().shape.status,
    attempts: z.number(),
    lastError: z.string().exactOptional(),
    nextAt: z.number().exactOptional(),
    createdAt: z.number(),
    /** From when on the time is counted after which it is given up. */
    since: z.number(),
    /** The body that is sent, the same in every attempt. */
    body: z.string(),
    /** The W3C trace context of what it tells of, the same in every attempt. */
    traceparent: z.string().exactOptional(),
  }),
)

/** One message to one target. */
export interface StoredDelivery extends z.infer<ReturnType<typeof stored>> {
  /** The `webhook-id` of all its attempts. */
  readonly id: string
}

const ID = /^msg_([0-9a-f]{24})_[0-9a-f]{32}$/
/** Newest first: ids count down from here. */
const LAST_TIME = 2 ** 48 - 1

/** The id of a message about a thing that happened: always the same. It contains no full stop, as Standard Webhooks demands. */
export function deliveryId(webhook: string, { position, at }: { position: string; at: number }): string {
  const time = (LAST_TIME - Math.min(LAST_TIME, Math.max(0, at))).toString(16).padStart(12, '0')
  return `msg_${webhook.slice('wh_'.length)}_${time}${hash('sha256', `${webhook} ${position}`).slice(0, 20)}`
}

/** The target of a delivery; `undefined` if this is not an id of one. */
export function webhookOf(id: string): string | undefined {
  const part = ID.exec(id)?.[1]
  return part === undefined ? undefined : `wh_${part}`
}

/** The beginning of the record ids of a target's deliveries. Without a target: of all of the tenant. */
export function deliveryPrefix(tenant: string, webhook?: string): string {
  return `${hash('sha256', tenant, 'base64url')}/${webhook === undefined ? '' : `${webhook}/`}`
}

/** The record id of a delivery. */
export function deliveryKey(tenant: string, id: string): string {
  return `${deliveryPrefix(tenant, webhookOf(id))}${id}`
}

/** Writes a delivery. */
export function putDelivery({ id, ...value }: StoredDelivery): RecordChange {
  const key = deliveryKey(value.tenant, id)
  return { op: 'put', kind: DELIVERY, id: key, value: JSON.stringify(value), ttlMs: KEPT_MS[value.status] }
}

/** Makes a delivery due at a time. */
export function putDue({ tenant, id }: Pick<StoredDelivery, 'tenant' | 'id'>, at: number): RecordChange {
  return { op: 'put', kind: DUE, id: `${String(Math.max(0, at)).padStart(15, '0')}/${id}`, value: tenant }
}

/** When a record of the queue is due, and which delivery it is about. */
export function readDue(recordId: string): { at: number; id: string } {
  const [at = '', id = ''] = recordId.split('/')
  return { at: Number(at), id }
}

/** Reads a delivery. */
export function toDelivery({ id, value }: { id: string; value: string }): StoredDelivery {
  return { id: id.slice(id.lastIndexOf('/') + 1), ...stored().parse(JSON.parse(value)) }
}

/** A delivery as it is shown. */
export function toShown(from: StoredDelivery): Delivery {
  const { id, event, request, version, status, attempts, lastError, nextAt, createdAt } = from
  return {
    id,
    webhook: webhookOf(id) ?? '',
    event,
    request,
    version,
    status,
    attempts,
    ...(lastError === undefined ? {} : { lastError }),
    ...(nextAt === undefined ? {} : { nextAt: new Date(nextAt).toISOString() }),
    createdAt: new Date(createdAt).toISOString(),
  }
}
