import { z } from 'zod'
import { pause, ticks } from '../../ports/clock.ts'
import { allRecords, type RecordStore, type StoredRecord, SYSTEM_TENANT } from '../../ports/records.ts'
import type { Store } from '../../ports/store.ts'
import { previewResult } from '../../protocol/api/previews.ts'
import { lazy } from '../../protocol/checks/lazy.ts'
import { actor } from '../../protocol/decision.ts'
import { jsonObject } from '../../protocol/message.ts'
import { uuidSource } from '../../protocol/uuid.ts'

/**
 * How a process without the code of an agent asks a worker what an edit would do.
 *
 * V1  The edit and the answer are records of the request's tenant. The records of the whole store say only for which tenant and route one is asked for.
 * V2  A worker deletes the latter before it works: exactly one worker previews an edit, or none.
 * V3  All of them expire. Whoever asked deletes them as soon as it stops waiting.
 */

/** Asked of any worker with a route, in the records of the whole store. */
const ASKED = 'preview-asked'
/** The edit, in the tenant's records. */
const EDIT = 'preview-edit'
/** What a worker said, in the tenant's records. */
const SAID = 'preview-said'

/** How long a preview may take, from the question to the answer. */
export const PREVIEW_MS = 5000
/** How often the answer is looked for. */
const LOOK_MS = 50

const asked = lazy(() => z.object({ tenantId: z.string(), route: z.string() }))
const edit = lazy(() =>
  z.object({ request: z.string(), args: jsonObject(), toolName: z.string().exactOptional(), by: actor() }),
)
const said = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('shown'), result: previewResult() }),
    /** The agent's code failed, or refused the edit for what the request is by now. */
    z.object({ kind: z.literal('failed') }),
    z.object({ kind: z.literal('late') }),
  ]),
)

/** An edit that somebody wants to see before it is decided. */
export type AskedEdit = z.infer<ReturnType<typeof edit>>
/** What a worker says of it. */
export type PreviewSaid = z.infer<ReturnType<typeof said>>
/** A question to the workers of a route. */
export type AskedPreview = z.infer<ReturnType<typeof asked>> & { readonly id: string; readonly version: number }

/** Asks the workers of a route, and waits for the answer. `undefined`: none came in time. */
export async function askWorkers(
  store: Store,
  { tenantId, route }: { tenantId: string; route: string },
  wanted: AskedEdit,
): Promise<PreviewSaid | undefined> {
  const [all, own, id] = [store.tenant(SYSTEM_TENANT), store.tenant(tenantId), uuidSource()()]
  const put = { op: 'put', id, ttlMs: PREVIEW_MS } as const
  const began = ticks(store.clock)
  try {
    await own.writeRecords([{ ...put, kind: EDIT, value: JSON.stringify(wanted) }])
    await all.writeRecords([{ ...put, kind: ASKED, value: JSON.stringify({ tenantId, route }) }])
    while (ticks(store.clock) - began < PREVIEW_MS) {
      const answer = await own.readRecord(SAID, id)
      if (answer) return said().parse(JSON.parse(answer.value))
      await pause(LOOK_MS, { clock: store.clock })
    }
    return undefined
  } finally {
    await all.writeRecords([{ op: 'delete', kind: ASKED, id }])
    await own.writeRecords([EDIT, SAID].map((kind) => ({ op: 'delete', kind, id }) as const))
  }
}

/** What is asked of the workers of all routes, the oldest first. */
export async function askedPreviews(store: Store): Promise<AskedPreview[]> {
  const found: AskedPreview[] = []
  for await (const record of allRecords(store.tenant(SYSTEM_TENANT), { kind: ASKED })) found.push(...toAsked(record))
  return found
}

/** Takes a question, so that no other worker does. `undefined`: it is taken already, or nobody waits any more. */
export async function takePreview(
  store: Store,
  { id, version, tenantId }: AskedPreview,
): Promise<AskedEdit | undefined> {
  const taken = await store.tenant(SYSTEM_TENANT).writeRecords([{ op: 'delete', kind: ASKED, id, expect: version }])
  const found = taken.ok ? await store.tenant(tenantId).readRecord(EDIT, id) : undefined
  return found && edit().parse(JSON.parse(found.value))
}

/** Answers a question that was taken. If nobody waits any more, nothing is written. */
export async function answerPreview(records: RecordStore, id: string, answer: PreviewSaid): Promise<void> {
  await records.writeRecords([
    { op: 'delete', kind: EDIT, id, expect: 1 },
    { op: 'put', kind: SAID, id, value: JSON.stringify(answer), ttlMs: PREVIEW_MS },
  ])
}

/** Deletes previews of edits of these requests, and all answers, which do not name theirs: whoever still waits for one gets none. */
export async function forgetPreviews(records: RecordStore, requests: ReadonlySet<string>): Promise<void> {
  for await (const { kind, id, value } of allRecords(records, { kind: EDIT })) {
    const read = edit().safeParse(JSON.parse(value))
    if (!read.success || requests.has(read.data.request)) await records.writeRecords([{ op: 'delete', kind, id }])
  }
  for await (const { kind, id } of allRecords(records, { kind: SAID }))
    await records.writeRecords([{ op: 'delete', kind, id }])
}

/** Another build may ask in other words: those are left to its workers. */
function toAsked({ id, version, value }: StoredRecord): AskedPreview[] {
  const read = asked().safeParse(JSON.parse(value))
  return read.success ? [{ id, version, ...read.data }] : []
}
