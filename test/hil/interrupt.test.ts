import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type HilInterruptContent,
  HilMessageStreamContext,
  interrupt,
  type JsonObject,
  notification,
  type Streams,
} from '../../src/index.ts'
import { type HilMessage, StreamsFailed } from '../../src/ports.ts'
import { toWire } from '../../src/protocol/hil/hil.ts'
import { isPending, soon } from '../../src/testing/store-suite/tools.ts'
import { describeBackends } from './backends.ts'

function asking(detail: JsonObject = {}): HilInterruptContent {
  const body = { tool_name: 'pick', type: 'ChoiceForm', tool_exec_uuid: 'e9c0f6f0-0000-4000-8000-000000000000', detail }
  return { source: 'agent_tool_call', body }
}

describeBackends('interrupt and notification', (backend) => {
  let streams: Streams
  let context: HilMessageStreamContext

  beforeAll(() => backend.start(), 60_000)
  afterAll(() => backend.stop())
  beforeEach(async () => {
    streams = backend.create()
    context = await HilMessageStreamContext.open('s', { streams, owner: 'ann' })
  })
  afterEach(async () => {
    await context[Symbol.asyncDispose]()
    await streams.shutdown()
  })

  /** The next message, as a client sees it. */
  async function next(after = '0'): Promise<{ position: string; message: HilMessage }> {
    const read = await soon(streams.read('s', { after, waitMs: 5000 }))
    if (read.kind !== 'messages') throw new Error(`nothing to read: ${read.kind}`)
    return read.messages[0] as { position: string; message: HilMessage }
  }

  it.each(['b', '', {}, { choice: 'b', more: [1] }])('gives the asker what the person answers: %j', async (reply) => {
    const asked = interrupt(asking(), { stream: 's', streams })
    const { message } = await next()
    expect(await streams.answer('s', message.msg_id, reply)).toBe('answered')
    expect(await soon(asked)).toEqual(reply)
  })

  it('source and body arrive unchanged, extra members too', async () => {
    const content = asking({ options: ['a', 'b'], '': null })
    ;(content.body as JsonObject).extra = { deep: [true] }
    const asked = interrupt(content, { stream: 's', streams })
    const { message } = await next()
    expect(toWire(message)).toEqual({ msg_id: message.msg_id, msg_type: 'HIL_interrupt_request', content })
    expect(message.msg_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    await streams.answer('s', message.msg_id, 'ok')
    await asked
  })

  it('several questions on one stream each get their own answer', async () => {
    const asked = [1, 2, 3].map((n) => interrupt(asking({ n }), { stream: 's', streams }))
    const messages: HilMessage[] = []
    for (let after = '0'; messages.length < 3; ) {
      const { position, message } = await next(after)
      messages.push(message)
      after = position
    }
    for (const { msg_id, content } of messages.reverse()) {
      await streams.answer('s', msg_id, { to: (content.body as JsonObject).detail ?? null })
    }
    expect(await soon(Promise.all(asked))).toEqual([1, 2, 3].map((n) => ({ to: { n } })))
  })

  it('is sent once, however many timeouts pass, and is answered in the last of them', async () => {
    const asked = interrupt(asking(), { stream: 's', streams, timeoutSeconds: 0.15, timeoutRetry: 20 })
    const { position, message } = await next()
    expect(await isPending(asked, 500)).toBe(true)
    expect(await streams.read('s', { after: position })).toEqual({ kind: 'empty' })
    await streams.answer('s', message.msg_id, 'late')
    expect(await soon(asked)).toBe('late')
  })

  it('gives up after all timeouts, and retracts the question', async () => {
    const began = performance.now()
    const asked = interrupt(asking(), { stream: 's', streams, timeoutSeconds: 0.05, timeoutRetry: 3 })
    const outcome = expect(asked).rejects.toMatchObject({
      code: 'hil_interrupt_cancelled',
      reason: 'timeout',
      stream: 's',
    })
    const { message } = await next()
    await outcome
    expect(performance.now() - began).toBeGreaterThanOrEqual(145)
    expect(await streams.pending('s')).toEqual({ kind: 'empty' })
    expect(await streams.answer('s', message.msg_id, 'late')).toBe('unknown')
    expect((await next()).message.content).toMatchObject({
      body: { type: 'Retracted', detail: { msg_id: message.msg_id, reason: 'timeout' } },
    })
  })

  it('gives up when its signal fires, and retracts the question', async () => {
    const controller = new AbortController()
    const asked = interrupt(asking(), { stream: 's', streams, signal: controller.signal })
    const outcome = expect(asked).rejects.toMatchObject({ code: 'hil_interrupt_cancelled', reason: 'signal' })
    await next()
    controller.abort()
    await soon(outcome)
    expect(await streams.pending('s')).toEqual({ kind: 'empty' })
  })

  it('with a signal that has fired nothing is sent', async () => {
    const asked = interrupt(asking(), { stream: 's', streams, signal: AbortSignal.abort() })
    await expect(asked).rejects.toMatchObject({ code: 'hil_interrupt_cancelled', reason: 'signal' })
    expect(await streams.read('s', { after: '0' })).toEqual({ kind: 'empty' })
  })

  it('an answer that was accepted just before is not thrown away', async () => {
    for (let round = 0; round < 20; round++) {
      const controller = new AbortController()
      const asked = interrupt(asking(), { stream: 's', streams, signal: controller.signal }).catch(
        (error) => error.code,
      )
      const { message } = await next()
      const answering = streams.answer('s', message.msg_id, 'just in time')
      if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve))
      controller.abort()
      const outcome = await answering
      expect(await soon(asked)).toBe(outcome === 'answered' ? 'just in time' : 'hil_interrupt_cancelled')
    }
  })

  it('a stream that is missing is an error at the start, and nothing else happens', async () => {
    const missing = { code: 'hil_stream_missing', stream: 'other' }
    await expect(interrupt(asking(), { stream: 'other', streams })).rejects.toMatchObject(missing)
    await expect(notification({ text: 'hi' }, { stream: 'other', streams })).rejects.toMatchObject(missing)
  })

  it('a stream that ends during a wait is an error', async () => {
    const asked = interrupt(asking(), { stream: 's', streams })
    const outcome = expect(asked).rejects.toMatchObject({ code: 'hil_stream_missing', stream: 's' })
    await next()
    await context.close()
    await soon(outcome)
  })

  it('streams that are shut down end the wait with an error', async () => {
    await context.close()
    await streams.open('s', { owner: 'ann', expireSeconds: 60 })
    const asked = interrupt(asking(), { stream: 's', streams })
    const outcome = expect(asked).rejects.toMatchObject({ code: 'streams_closed' })
    await next()
    await streams.shutdown()
    await soon(outcome)
  })

  it('a schema types and checks the answer, and one that does not fit is kept on the error', async () => {
    const schema = z.object({ choice: z.enum(['a', 'b']).transform((letter) => letter.toUpperCase()) })
    const fitting = interrupt(asking(), { stream: 's', streams, schema })
    const first = await next()
    await streams.answer('s', first.message.msg_id, { choice: 'b' })
    const { choice }: { choice: string } = await soon(fitting)
    expect(choice).toBe('B')

    const asked = interrupt(asking(), { stream: 's', streams, schema })
    const second = await next()
    await streams.answer('s', second.message.msg_id, { choice: 'c' })
    await expect(asked).rejects.toMatchObject({
      code: 'hil_reply_invalid',
      stream: 's',
      messageId: second.message.msg_id,
      reply: { choice: 'c' },
      problems: [expect.stringContaining('choice')],
    })
  })

  it('a notification is there at once, and takes no answer', async () => {
    const content = { source: 'agent_tool_call', body: { type: 'Info', detail: 'half done' }, any: ['thing'] }
    await notification(content, { stream: 's', streams })
    const { message } = await next()
    expect(message).toEqual({ msg_id: message.msg_id, msg_type: 'Notification', content })
    expect(await streams.answer('s', message.msg_id, 'ok')).toBe('unknown')
  })

  it('content that cannot be sent is refused before anything is sent', async () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    const details = [undefined, Number.NaN, -0, new Date(0), new Map(), () => 1, 1n, '\ud800', { '\ud800': 1 }, cycle]
    const contents: unknown[] = [
      ...[null, undefined, 'text', [], {}, { source: 'agent_tool_call' }],
      { ...asking(), source: 'somebody' },
      { source: 'agent_tool_call', body: { ...asking().body, tool_name: 1 } },
      ...details.map((detail) => ({ source: 'agent_tool_call', body: { ...asking().body, detail } })),
    ]
    for (const content of contents) {
      const asked = interrupt(content as HilInterruptContent, { stream: 's', streams })
      await expect(asked).rejects.toMatchObject({ code: 'hil_content_invalid' })
    }
    for (const content of [null, 'text', [1], 1, ...details.map((detail) => ({ detail }))]) {
      const told = notification(content as JsonObject, { stream: 's', streams })
      await expect(told).rejects.toMatchObject({ code: 'hil_content_invalid' })
    }
    expect(await streams.read('s', { after: '0' })).toEqual({ kind: 'empty' })
  })

  it('invalid options are refused before anything is sent', async () => {
    const base = { stream: 's', streams }
    const wrong: object[] = [
      { ...base, timeout: 5 },
      { ...base, timeoutSeconds: 0 },
      { ...base, timeoutSeconds: Number.NaN },
      { ...base, timeoutRetry: 0 },
      { ...base, timeoutRetry: 1.5 },
      { stream: 's' },
      { ...base, stream: '' },
    ]
    for (const options of wrong) {
      const asked = interrupt(asking(), options as typeof base)
      await expect(asked).rejects.toMatchObject({ code: 'input_invalid' })
    }
    expect(await streams.read('s', { after: '0' })).toEqual({ kind: 'empty' })
  })

  it('says which option is missing, by its own name', async () => {
    const missing = { streams } as unknown as { stream: string; streams: Streams }
    await expect(interrupt(asking(), missing)).rejects.toThrow('interrupt needs the option stream:')
    await expect(notification({ text: 'hello' }, missing)).rejects.toThrow('notification needs the option stream:')
  })

  it('a backend that fails now and then does not end the wait', async () => {
    let failing = 3
    const shaky: Streams = {
      ...streams,
      takeReply: (...call) =>
        failing-- > 0
          ? Promise.reject(new StreamsFailed('Redis cannot be reached', 'tried'))
          : streams.takeReply(...call),
    }
    const asked = interrupt(asking(), { stream: 's', streams: shaky })
    const { message } = await next()
    await streams.answer('s', message.msg_id, 'yes')
    expect(await soon(asked)).toBe('yes')
    expect(failing).toBeLessThan(0)
  })

  it('says why the question could not be retracted', async () => {
    const failure = new StreamsFailed('Redis cannot be reached', 'tried')
    const stuck: Streams = { ...streams, retract: () => Promise.reject(failure) }
    const asked = interrupt(asking(), { stream: 's', streams: stuck, timeoutSeconds: 0.02, timeoutRetry: 1 })
    await expect(asked).rejects.toMatchObject({ code: 'hil_interrupt_cancelled', cause: failure })
  })
})
