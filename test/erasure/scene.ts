import { expect } from 'vitest'
import { FOLD } from '../../src/core/fold/snapshot.ts'
import { openDesk, run, type Store } from '../../src/index.ts'
import { DELIVERY } from '../../src/webhooks/delivery.ts'
import { putDeadLetter } from '../../src/worker/shared/stuck.ts'
import { askingAgent, inboxOf } from '../support/gateway/inbox-scene.ts'
import { until } from '../support/until.ts'
import { sending, target } from '../webhooks/scene.ts'

/** What must not be found anywhere afterwards. */
export const SECRET = 'Xyzzy-4711-Plugh'
export const WHY = { by: 'dora', reason: 'the customer asked for it' }

/**
 * A thread whose secret is everywhere: in arguments, results, messages, a comment of the decision, notes, a webhook that could not be delivered,
 * idempotency keys, previews of an edit, a dead letter, snapshots and chunks. It is over. Resolves to the id of its request.
 */
export async function secretThread(store: Store, threadId = 'order-1'): Promise<string> {
  await target(store, 'http://127.0.0.1:1/')
  const webhooks = await sending(store)
  const agent = askingAgent([{ args: { note: SECRET, amount: 5 }, lists: [[`group:${SECRET}`]] }], { words: SECRET })
  const paused = await run(agent, `please: ${SECRET}`, { store, threadId })
  const [request] = paused.interruptions
  const { as } = inboxOf(store)
  const ann = as({ sub: 'ann', groups: [SECRET], tenant: store.tenantId })
  const { id, version, digest } = request!
  const noted = await ann.post(`/v1/requests/${id}/comments`, { text: `see ${SECRET}` }, 'key-1')
  expect(noted.status).toBeLessThan(300)
  const body = { decision: { type: 'approve' }, version, digest, comment: SECRET }
  expect((await ann.post(`/v1/requests/${id}/decide`, body, 'key-2')).body).toMatchObject({ status: 'decided' })
  await leaveSnapshots(store, threadId)
  const over = await run(agent, paused.state, { store })
  expect(over.status).toBe('completed')
  await store.writeRecords([
    putDeadLetter(threadId, {
      error: { message: `refund of ${SECRET} failed` },
      ...{ tries: 9, agent: 'clerk', version: null, length: 1 },
    }),
    { op: 'put', kind: 'idempotency', id: 'expired', value: JSON.stringify({ body: SECRET }), ttlMs: 1 },
    { op: 'put', kind: 'preview-edit', id: 'p1', value: editOf(id), ttlMs: 60_000 },
    { op: 'put', kind: 'preview-said', id: 'p2', value: JSON.stringify({ result: SECRET }), ttlMs: 60_000 },
  ])
  const deliveries = () => store.tenant('default').findRecords({ kind: DELIVERY })
  await until(async () => (await deliveries()).records.length >= 2)
  await webhooks.stop()
  return id
}

/** Snapshots of two builds. The thread is too short for one of its own. */
async function leaveSnapshots(store: Store, threadId: string): Promise<void> {
  const { version } = await store.read(threadId)
  for (const fold of [FOLD, FOLD + 1]) {
    const chunks = { first: 1, bodies: [JSON.stringify({ role: 'user', content: SECRET })] }
    const snapshot = { fold, body: JSON.stringify({ args: { note: SECRET } }), chunks }
    expect(await store.append({ threadId, version, entries: [], snapshot })).toMatchObject({ ok: true })
  }
}

function editOf(request: string): string {
  return JSON.stringify({ request, args: { note: SECRET }, by: { kind: 'person', id: 'ann' } })
}

/** Lets a run of a thread wait for a person. Resolves to the id of the request. */
export async function pausedThread(store: Store, threadId: string): Promise<string> {
  const { interruptions } = await run(askingAgent([{ args: { note: SECRET } }]), 'please', { store, threadId })
  return interruptions[0]!.id
}

/** Runs a thread to its end. */
export async function finishedThread(store: Store, threadId: string): Promise<string> {
  const agent = askingAgent([{ args: { note: SECRET } }])
  const { interruptions, state } = await run(agent, 'please', { store, threadId })
  await openDesk({ store }).decide({ request: interruptions[0]!, decision: { type: 'approve' }, by: 'ann' })
  expect((await run(agent, state, { store })).status).toBe('completed')
  return interruptions[0]!.id
}
