import { describe, expect, it } from 'vitest'
import { HilMsgStreamMissingError, type JsonObject, memoryStreams, openDesk, StreamChannel } from '../../src/index.ts'
import { application, refundOnce, refundTool } from '../support/agents/remote-application.ts'
import { until } from '../support/until.ts'

/** An application asks and goes away, with its question on the stream. */
async function askedAndLeft(app: Awaited<ReturnType<typeof application>>) {
  const first = app.open()
  const left = first.thread.prompt('go')
  const [question] = await app.asked()
  await first.thread.detach()
  await left
  await first.channel.flush()
  return question!
}

describe('when the application goes away and comes back', () => {
  it('what is open stays on the stream, once, and is answered to the new channel', async () => {
    const done: JsonObject[] = []
    const app = await application(refundOnce, [refundTool(done)])
    const first = app.open()
    const left = first.thread.prompt('go')
    const [question] = await app.asked()
    await first.thread.detach()
    expect((await left).status).toBe('suspended')
    await first.channel.flush()
    expect(await app.questions()).toEqual([question])
    const second = app.open()
    const result = second.thread.resume()
    await until(() => second.channel.pending !== undefined)
    expect(await app.questions()).toEqual([question])
    await app.streams.answer(app.session, question!.msg_id, 'yes')
    expect((await result).status).toBe('completed')
    expect(done).toHaveLength(1)
  })

  it('a reply that came in between is taken by the new channel', async () => {
    const done: JsonObject[] = []
    const app = await application(refundOnce, [refundTool(done)])
    const question = await askedAndLeft(app)
    await app.streams.answer(app.session, question!.msg_id, 'yes')
    expect((await app.open().thread.resume()).status).toBe('completed')
    expect(done).toHaveLength(1)
  })

  it('a request that was opened but never sent is sent', async () => {
    const done: JsonObject[] = []
    const app = await application(refundOnce, [refundTool(done)])
    expect((await app.agent.thread('t', { store: app.store }).prompt('go')).status).toBe('suspended')
    expect(await app.questions()).toEqual([])
    const result = app.open().thread.resume()
    const [question] = await app.asked()
    await app.streams.answer(app.session, question!.msg_id, 'yes')
    expect((await result).status).toBe('completed')
  })

  it('a reply that was taken and lost is asked for again', async () => {
    const done: JsonObject[] = []
    const app = await application(refundOnce, [refundTool(done)])
    const question = await askedAndLeft(app)
    // A process that dies between taking a reply and storing it.
    await app.streams.answer(app.session, question!.msg_id, 'yes')
    await app.streams.takeReply(app.session, question!.msg_id, { waitMs: 0 })
    const result = app.open().thread.resume()
    const [again] = await app.asked()
    expect(again!.msg_id).not.toBe(question!.msg_id)
    await app.streams.answer(app.session, again!.msg_id, 'yes')
    expect((await result).status).toBe('completed')
    expect(done).toHaveLength(1)
  })

  it('what was settled meanwhile is taken off the stream with the next question', async () => {
    const done: JsonObject[] = []
    const calls = [1, 2].map((n) => ({ id: `c${n}`, name: 'refund', args: { cents: n } }))
    const app = await application([{ toolCalls: calls }, 'Done.'], [refundTool(done)])
    const first = app.open()
    const left = first.thread.prompt('go')
    const [one, two] = await app.asked(2)
    await first.thread.detach()
    await left
    await first.channel.flush()
    const by = { kind: 'person', id: 'bob' } as const
    await openDesk(app).decide({ request: one!.content.body.tool_exec_uuid, decision: { type: 'approve' }, by })
    const second = app.open()
    const result = second.thread.resume()
    await until(async () => (await app.questions()).length === 1)
    expect(await app.questions()).toEqual([two])
    await app.streams.answer(app.session, two!.msg_id, 'no')
    expect((await result).status).toBe('completed')
    expect(done).toEqual([{ cents: 1 }])
  })
})

describe('a session that is gone', () => {
  it('from the start is told to the developer, and the request stays open', async () => {
    const app = await application(refundOnce, [refundTool([])])
    await app.streams.close(app.session)
    const result = await app.open().thread.prompt('go')
    expect(result).toMatchObject({ status: 'failed' })
    expect((result as { error: unknown }).error).toBeInstanceOf(HilMsgStreamMissingError)
    expect((await openDesk(app).list({ status: 'open' })).requests).toHaveLength(1)
  })

  it.each([['closed'], ['expired']])(
    'while it waits (%s) is told to the developer; another session goes on',
    async (how) => {
      let now = Date.now()
      const done: JsonObject[] = []
      const app = await application(refundOnce, [refundTool(done)], {
        streams: memoryStreams({ clock: { now: () => now } }),
      })
      const running = app.open().thread.prompt('go')
      await app.asked()
      if (how === 'closed') await app.streams.close(app.session)
      else now += 3_601_000
      const result = await running
      expect((result as { error: unknown }).error).toBeInstanceOf(HilMsgStreamMissingError)
      expect((await openDesk(app).list({ status: 'open' })).requests).toHaveLength(1)
      await app.streams.open('another', { owner: 'ann', expireSeconds: 60 })
      const resumed = app.open({ session: 'another' }).thread.resume()
      await until(async () => (await app.streams.pending('another')).kind === 'messages')
      const read = await app.streams.pending('another')
      const [first] = read.kind === 'messages' ? read.messages : []
      await app.streams.answer('another', 'message' in first! ? first.message.msg_id : '', 'yes')
      expect((await resumed).status).toBe('completed')
      expect(done).toHaveLength(1)
    },
  )

  it('is told to who asks with a verb', async () => {
    const app = await application([], [])
    await app.streams.close(app.session)
    await expect(app.open().channel.confirm('Sure?')).rejects.toBeInstanceOf(HilMsgStreamMissingError)
    const plain = new StreamChannel({ streams: app.streams, session: app.session })
    await expect(plain.confirm('Sure?')).rejects.toBeInstanceOf(HilMsgStreamMissingError)
  })

  it('is opened again, and asked again, if the channel keeps it open: backends lose data when they restart', async () => {
    const done: JsonObject[] = []
    const app = await application(refundOnce, [refundTool(done)])
    await app.streams.close(app.session)
    const running = app.open({ keepOpen: { owner: 'ann' } }).thread.prompt('go')
    const [first] = await app.asked()
    await app.streams.close(app.session)
    await until(async () => (await app.streams.pending(app.session)).kind === 'messages')
    expect((await app.asked())[0]?.content).toEqual(first?.content)
    await app.streams.answer(app.session, first!.msg_id, 'yes')
    expect((await running).status).toBe('completed')
    expect(done).toHaveLength(1)
  })

  it('is opened and kept open if the channel is to see to it', async () => {
    let now = Date.now()
    const streams = memoryStreams({ clock: { now: () => now } })
    const channel = new StreamChannel({
      streams,
      session: 's',
      keepOpen: { owner: 'ann', expireSeconds: 0.3 },
    })
    const answer = channel.confirm('Sure?')
    await until(async () => (await streams.pending('s')).kind === 'messages')
    expect((await streams.describe('s'))?.owner).toBe('ann')
    // Time passes when the test says so: however slow the machine is, the session is put off before it would have ended.
    for (let passed = 0; passed < 3; passed++) {
      const { expiresAt } = (await streams.describe('s'))!
      now += 200
      await until(async () => ((await streams.describe('s'))?.expiresAt ?? 0) > expiresAt)
    }
    await channel.answer(channel.pending!.id, true)
    expect(await answer).toBe(true)
    const stranger = new StreamChannel({ streams, session: 's', keepOpen: { owner: 'bob' } })
    await expect(stranger.confirm('Sure?')).rejects.toMatchObject({ code: 'hil_stream_exists' })
  })
})
