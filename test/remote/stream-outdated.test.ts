import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  humanInTheLoop,
  type JsonObject,
  memoryStore,
  memoryStreams,
  openDesk,
  StreamChannel,
  tool,
} from '../../src/index.ts'
import { fakeClock, scriptedModel } from '../../src/testing.ts'
import { application, asked, questionsOn, refundOnce, refundTool } from '../support/agents/remote-application.ts'
import { until } from '../support/until.ts'

const BOB = { kind: 'person', id: 'bob' } as const

/** An agent whose request is escalated after a minute, and the stream that shows it. */
async function escalating() {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const streams = memoryStreams()
  await streams.open('s', { owner: 'ann', expireSeconds: 3600 })
  const done: JsonObject[] = []
  const refund = tool({
    name: 'refund',
    description: 'Pays money back.',
    parameters: z.object({ cents: z.number() }),
    execute: (args) => void done.push(args),
  })
  const agent = new Agent({
    name: 'clerk',
    model: scriptedModel(refundOnce),
    tools: [refund],
    policy: humanInTheLoop({ interruptOn: { refund: { timeoutSeconds: 60, onTimeout: 'escalate' } } }),
  })
  const channel = new StreamChannel({ streams, session: 's', store, threadId: 't' })
  const result = agent.thread('t', { store, channel }).prompt('go')
  return { clock, store, streams, channel, result, done }
}

it('a request that is escalated while it is on a stream is shown as it is now, once', async () => {
  const { clock, store, streams, channel, result, done } = await escalating()
  const [first] = await asked(streams, 's')
  expect(first!.content.body.detail).toMatchObject({ version: 1, expiresAt: expect.any(String) })
  clock.advance(61_000)
  // Whoever touches it writes the deadline down; here that is somebody whose answer comes too late.
  const { id } = first!.content.body.detail as { id: string }
  await expect(openDesk({ store }).answer(id, { type: 'approve' }, { by: BOB, version: 1 })).rejects.toThrow()
  await until(async () => (await questionsOn(streams, 's'))[0]?.msg_id !== first!.msg_id)
  await until(async () => (await questionsOn(streams, 's')).length === 1)
  const [second] = await questionsOn(streams, 's')
  expect(second!.content.body.detail).toMatchObject({ id, version: 2, escalated: true })
  expect(channel.pending).toMatchObject({ id, version: 2, escalated: true })
  await streams.answer('s', second!.msg_id, 'approve')
  expect((await result).status).toBe('completed')
  expect(done).toEqual([{ cents: 500 }])
  await channel.flush()
  expect(await questionsOn(streams, 's')).toEqual([])
})

it('a question that is asked again because its answer did not fit is taken back from all other screens', async () => {
  const app = await application(refundOnce, [refundTool([])])
  const { thread, channel } = app.open()
  const result = thread.prompt('go')
  const [first] = await app.asked()
  await app.streams.answer(app.session, first!.msg_id, 'perhaps')
  const [second] = await app.asked()
  expect(second!.content.body).toHaveProperty('problem')
  await until(async () => (await app.notices()).length === 1)
  expect(await app.notices()).toMatchObject([
    { body: { type: 'Retracted', detail: { msg_id: first!.msg_id, reason: 'superseded' } } },
  ])
  await app.streams.answer(app.session, second!.msg_id, 'approve')
  expect((await result).status).toBe('completed')
  await channel.flush()
})

it('an answer that came before its question was found outdated still counts', async () => {
  const { clock, store, streams, channel, result, done } = await escalating()
  const [first] = await asked(streams, 's')
  const { takeReply } = streams
  let deaf = true
  streams.takeReply = (session, id, options) =>
    deaf && id === first!.msg_id && options.waitMs > 0
      ? new Promise((resolve) => options.signal?.addEventListener('abort', () => resolve({ kind: 'empty' })))
      : takeReply(session, id, options)
  const desk = openDesk({ store })
  const { id } = first!.content.body.detail as { id: string }
  // Its channel hears nothing; the person answers, and then the request changes its version.
  await streams.answer('s', first!.msg_id, 'approve')
  clock.advance(61_000)
  await expect(desk.answer(id, { type: 'approve' }, { by: BOB, version: 1 })).rejects.toThrow()
  deaf = false
  await until(async () => (await desk.get(id)).status === 'decided')
  expect(await desk.get(id)).toMatchObject({ escalated: true, decision: { type: 'approve', by: { id: 'ann' } } })
  expect((await result).status).toBe('completed')
  expect(done).toEqual([{ cents: 500 }])
  await channel.flush()
})
