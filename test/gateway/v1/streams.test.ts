import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { memoryStreams, StreamChannel } from '../../../src/index.ts'
import type { RequestItem } from '../../../src/protocol/api/requests.ts'
import { askingAgent, diskStore, inboxOf, seen } from '../../support/gateway/inbox-scene.ts'
import { until } from '../../support/until.ts'

const ann = { sub: 'ann', roles: ['reviewer'] }

it('a question that was decided here and withdrawn is shown again on its stream, and can be answered there', async () => {
  const store = diskStore()
  const streams = memoryStreams()
  const session = randomUUID()
  await streams.open(session, { owner: 'ann', expireSeconds: 600 })
  const ran: unknown[] = []
  const agent = askingAgent([{ args: { cents: 5 } }], { ran })
  const channel = new StreamChannel({ streams, session, store, threadId: 't' })
  const thread = agent.thread('t', { store, channel })
  const result = thread.prompt('go')
  onTestFinished(async () => {
    await streams.shutdown()
  })
  const { as } = inboxOf(store, { streams, undoSeconds: 600 })
  const caller = as(ann)
  const open = async () => {
    const { body } = await caller.get<{ open: { HIL_msg: { msg_id: string } }[] }>(
      `/hil/open?session_task_id=${session}`,
    )
    return body.open
  }
  await until(async () => (await open()).length === 1)
  const [item] = (await caller.list()).requests
  const path = `/v1/requests/${item!.id}`
  const decided = await caller.post<RequestItem>(`${path}/decide`, { ...seen(item!), decision: { type: 'approve' } })
  expect(decided.status).toBe(200)
  await until(async () => (await open()).length === 0)
  expect((await caller.post(`${path}/withdraw`, { version: decided.body.version })).status).toBe(200)
  await until(async () => (await open()).length === 1)
  expect(ran).toEqual([])
  const [again] = await open()
  const reply = { session_task_id: session, hil_msg_id: again!.HIL_msg.msg_id, msg: 'approve' }
  expect((await caller.post('/hil/respond', reply)).status).toBe(200)
  await result
  expect(ran).toEqual([['refund', { cents: 5 }]])
})
