import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { RecordChange, RecordStore, StoredRecord } from '../../ports/records.ts'
import { type Webhook, webhook } from '../../protocol/api/webhooks.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { sha256 } from '../../protocol/json/canonical.ts'
import type { WebhookSettings } from '../options.ts'
import { requireWritten } from '../require-written.ts'
import { newSecret, rotated, type Secret, secret } from './signature.ts'
import { urlProblem } from './target-url.ts'

/** The events that a target can be told. */
export const webhookEvents = webhook().shape.events.element.options
/** An event that a target can be told. */
export type WebhookEvent = (typeof webhookEvents)[number]

const KIND = 'webhook'
const PAGE = 500
const MOST_TARGETS = 100

const stored = z.object({
  url: z.string(),
  events: webhook().shape.events,
  enabled: z.boolean(),
  createdAt: z.string(),
  createdBy: z.string(),
  secrets: z.array(secret),
})

/** A target with its secrets. */
export interface Target extends z.infer<typeof stored> {
  readonly id: string
  readonly secrets: Secret[]
}

/** The targets of a tenant, by id. `records` is the store of that tenant. */
export async function listTargets(records: RecordStore): Promise<Target[]> {
  const targets: Target[] = []
  let cursor: string | undefined
  do {
    const page = await records.findRecords({ kind: KIND, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    targets.push(...page.records.map(toTarget))
    cursor = page.next
  } while (cursor !== undefined)
  return targets
}

/** One target, if there is such a one. */
export async function findTarget(records: RecordStore, id: string): Promise<Target | undefined> {
  const record = await records.readRecord(KIND, id)
  return record && toTarget(record)
}

/** Adds a target. Its secret is in the result, and shown only this once. Throws `InputInvalid` if messages could not be sent there. */
export async function addTarget(
  records: RecordStore,
  { url, events = [...webhookEvents], by }: { url: string; events?: readonly WebhookEvent[]; by: string },
  { settings, now, fresh = freshTarget(), also = [] }: { settings: WebhookSettings; fresh?: FreshTarget } & TargetWrite,
): Promise<Webhook> {
  const problem = urlProblem(url, settings)
  if (problem !== undefined) throw new InputInvalid(problem)
  const unknown = events.find((each) => !webhookEvents.includes(each))
  if (events.length === 0 || unknown !== undefined)
    throw new InputInvalid(`A webhook takes one or more of the events ${webhookEvents.join(', ')}.`)
  if ((await listTargets(records)).length >= MOST_TARGETS)
    throw new InputInvalid(`There are ${MOST_TARGETS} webhooks already, which is the maximum.`)
  const target: Target = {
    id: fresh.id,
    url,
    events: [...new Set(events)],
    enabled: true,
    createdAt: new Date(now).toISOString(),
    createdBy: by,
    secrets: [fresh.secret],
  }
  requireWritten(
    await records.writeRecords([{ op: 'put', kind: KIND, id: target.id, value: toValue(target), expect: 0 }, ...also]),
  )
  return { ...toWebhook(target), ...shownSecret(target) }
}

/** Gives a target a new secret, which is in the result. Messages are signed with the old one too for a day. `undefined`: there is no such target. */
export async function rotateSecret(
  records: RecordStore,
  id: string,
  { now, fresh = newSecret(), also = [] }: TargetWrite & { fresh?: Secret },
): Promise<Webhook | undefined> {
  const rotate = (before: Target): Target => ({ ...before, secrets: rotated(before.secrets, now, fresh) })
  const target = await changeTarget(records, { id, change: rotate, also })
  return target && { ...toWebhook(target), ...shownSecret(target) }
}

/** Pauses a target, or lets it go on. A paused one is told nothing of what happens meanwhile. `undefined`: there is no such target. */
export async function enableTarget(
  records: RecordStore,
  id: string,
  { enabled, also = [] }: { enabled: boolean; also?: readonly RecordChange[] },
): Promise<Webhook | undefined> {
  const target = await changeTarget(records, { id, change: (before) => ({ ...before, enabled }), also })
  return target && toWebhook(target)
}

interface TargetChange {
  id: string
  change: (before: Target) => Target
  also: readonly RecordChange[]
}

/** Changes a target as it is now. */
async function changeTarget(records: RecordStore, given: TargetChange): Promise<Target | undefined> {
  const { id, change, also } = given
  const record = await records.readRecord(KIND, id)
  if (!record) return undefined
  const target = change(toTarget(record))
  const put = { op: 'put', kind: KIND, id, value: toValue(target), expect: record.version } as const
  const outcome = await records.writeRecords([put, ...also])
  if (!outcome.ok && outcome.conflict.id === id) return changeTarget(records, given)
  requireWritten(outcome)
  return target
}

/** Removes a target. Messages that wait for it are dropped. `false`: there was none. */
export async function removeTarget(
  records: RecordStore,
  id: string,
  also: readonly RecordChange[] = [],
): Promise<boolean> {
  const found = await records.readRecord(KIND, id)
  if (!found) return false
  requireWritten(await records.writeRecords([{ op: 'delete', kind: KIND, id }, ...also]))
  return true
}

/** The id and the secret of a target that is to be added. */
export interface FreshTarget {
  readonly id: string
  readonly secret: Secret
}

/** When a target is written, and what else is written in the same transaction. */
interface TargetWrite {
  readonly now: number
  readonly also?: readonly RecordChange[]
}

/** Makes up a target. */
export function freshTarget(): FreshTarget {
  return { id: `wh_${randomBytes(12).toString('hex')}`, secret: newSecret() }
}

/** Names a target and one of its secrets, without revealing it. */
export function secretMark(id: string, { secret: value }: Secret): string {
  return `${id} ${sha256(value)}`
}

/** A target with the secret that a mark names, as long as it is in use. */
export async function findMarked(records: RecordStore, mark: string): Promise<Webhook | undefined> {
  const target = await findTarget(records, mark.split(' ')[0] ?? '')
  if (!target) return undefined
  const shown = target.secrets.find((each) => secretMark(target.id, each) === mark)
  return { ...toWebhook(target), ...(shown ? { secret: shown.secret } : {}) }
}

/** A target as it is shown: without its secrets. */
export function toWebhook({ secrets: _, ...shown }: Target): Webhook {
  return shown
}

function shownSecret({ secrets: [newest] }: Target): { secret?: string } {
  return newest ? { secret: newest.secret } : {}
}

function toValue({ id: _, ...value }: Target): string {
  return JSON.stringify(value)
}

function toTarget({ id, value }: StoredRecord): Target {
  return { id, ...stored.parse(JSON.parse(value)) }
}
