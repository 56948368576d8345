import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createClient, type RemoteHandlers } from '../../src/client.ts'
import { Agent, type JsonValue, memoryStore, memoryStreams, remoteTool } from '../../src/index.ts'
import { ToolInvalid } from '../../src/protocol/errors/errors.ts'
import { scriptedModel } from '../../src/testing.ts'
import type { RemoteToolOptions } from '../../src/tools/remote-tool.ts'
import { asked, questionsOn } from '../support/agents/remote-application.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'
import { until } from '../support/until.ts'

const parameters = z.object({ path: z.string() })

async function scene(options: Partial<RemoteToolOptions<typeof parameters>> = {}) {
  const streams = memoryStreams()
  const session = randomUUID()
  await streams.open(session, { owner: 'ann', expireSeconds: 600 })
  const store = memoryStore()
  const readFile = remoteTool({
    name: 'read_file',
    description: 'Reads a file of the person.',
    parameters,
    streams,
    session,
    ...options,
  })
  const script = [{ toolCalls: [{ id: 'c1', name: 'read_file', args: { path: 'a.txt' } }] }, 'Done.']
  const agent = new Agent({ name: 'clerk', model: scriptedModel(script), tools: [readFile] })
  return {
    streams,
    session,
    store,
    thread: () => agent.thread('t', { store }),
    asked: (count = 1) => asked(streams, session, count),
    questions: () => questionsOn(streams, session),
    notices: async () => {
      const read = await streams.read(session, { after: '0', limit: 1000 })
      return (read.kind === 'messages' ? read.messages : []).flatMap((each) =>
        'message' in each && each.message.msg_type === 'Notification' ? [each.message.content.body] : [],
      )
    },
    /** The person's client, over a real gateway, with tools to serve. */
    async serve(handlers: RemoteHandlers) {
      const { url } = await served({ streams })
      const stop = new AbortController()
      const client = createClient({ url, token: await tokenOf('ann'), backoff: { initialMs: 10 } })
      const ended = client.serveTools(session, handlers, { signal: stop.signal })
      onTestFinished(async () => {
        stop.abort()
        await ended
      })
      return client
    },
  }
}

const toolResult = (messages: readonly { role: string; content: unknown; isError?: boolean }[]) => {
  const { content, isError = false } = messages.find(({ role }) => role === 'tool')!
  return { content, isError }
}

describe('a remote tool', () => {
  it('runs at the client: its arguments go there, its result comes back', async () => {
    const { thread, serve } = await scene()
    await serve({ read_file: ({ path }, { idempotencyKey }) => ({ path, key: idempotencyKey.length }) })
    const { status, messages } = await thread().prompt('go')
    expect(status).toBe('completed')
    expect(toolResult(messages)).toEqual({ content: '{"path":"a.txt","key":64}', isError: false })
  })

  it('asks on the stream with its arguments, key and fencing token', async () => {
    const { thread, asked, streams, session } = await scene()
    const result = thread().prompt('go')
    const [question] = await asked()
    expect(question!.content.body).toEqual({
      tool_name: 'read_file',
      type: 'RemoteTool',
      tool_exec_uuid: question!.msg_id,
      detail: {
        args: { path: 'a.txt' },
        idempotencyKey: expect.stringMatching(/^[0-9a-f]{64}$/),
        fencingToken: 1,
        deadline: expect.stringMatching(/Z$/),
      },
    })
    await streams.answer(session, question!.msg_id, 'plain text')
    expect(toolResult((await result).messages).content).toBe('plain text')
  })

  it('that throws at the client is a failure that the model reads', async () => {
    const { thread, serve } = await scene()
    await serve({
      read_file: async () => {
        throw new Error('no such file')
      },
    })
    const { status, messages } = await thread().prompt('go')
    expect(status).toBe('completed')
    expect(toolResult(messages)).toEqual({ content: 'The tool failed: no such file', isError: true })
  })

  it('can need an approval first', async () => {
    const { thread, questions, asked, streams, session } = await scene({ needsApproval: true })
    expect((await thread().prompt('go')).status).toBe('suspended')
    expect(await questions()).toEqual([])
    const result = thread().respond({ answer: { type: 'approve' }, unbound: true })
    const [question] = await asked()
    await streams.answer(session, question!.msg_id, { result: 7 })
    expect(toolResult((await result).messages).content).toBe('7')
  })

  it('finds its session by the context of the call', async () => {
    const { streams, session, ...other } = await scene({
      session: (ctx) => (ctx.context as { session: string }).session,
    })
    const result = other.thread().prompt('go', { context: { session } })
    const [question] = await other.asked()
    await streams.answer(session, question!.msg_id, { result: 'ok' })
    expect((await result).status).toBe('completed')
  })

  it('reports progress to the application and to the session', async () => {
    const heard: JsonValue[] = []
    const { thread, serve, notices, questions } = await scene({ onProgress: (progress) => heard.push(progress) })
    await serve({
      read_file: async (_, { progress }) => {
        progress({ percent: 10 })
        await until(() => heard.length === 1)
        progress({ percent: 90 })
        await until(() => heard.length === 2)
        return 'read'
      },
    })
    const { messages } = await thread().prompt('go')
    expect(toolResult(messages).content).toBe('read')
    expect(heard).toEqual([{ percent: 10 }, { percent: 90 }])
    expect(await notices()).toMatchObject([
      { type: 'Progress', tool_name: 'read_file', detail: { percent: 10 } },
      { type: 'Progress', detail: { percent: 90 } },
      { type: 'Retracted', detail: { reason: 'answered' } },
    ])
    expect(await questions()).toEqual([])
  })

  it('that one client has done is off the screens of all others, and stopped where they work on it too', async () => {
    const { thread, serve, session } = await scene({ onProgress: () => undefined })
    const started: AbortSignal[] = []
    const stopped: AbortSignal[] = []
    const other = await serve({
      read_file: (_, { signal }) => {
        started.push(signal)
        signal.addEventListener('abort', () => stopped.push(signal))
        return new Promise(() => undefined)
      },
    })
    const tab = other.session(session)
    let finished: AbortSignal | undefined
    await serve({
      read_file: async (_, { signal, progress }) => {
        finished = signal
        progress({ percent: 50 })
        await until(() => started.length === 1 && tab.pending.length === 1)
        return 'read'
      },
    })
    const { messages } = await thread().prompt('go')
    expect(toolResult(messages).content).toBe('read')
    await until(() => stopped.length === 1 && tab.pending.length === 0)
    // Who did it is not told to stop, and what programs ask each other about it is nobody's to answer.
    expect(finished?.aborted).toBe(false)
    expect(tab.state).toBe('open')
    tab.close()
    await tab.ended
  })

  it('that times out is retracted, and the client is told to stop', async () => {
    const { thread, questions, notices } = await scene({ timeoutSeconds: 0.05 })
    const { messages } = await thread().prompt('go')
    expect(toolResult(messages)).toEqual({ content: expect.stringContaining('within 0.05 s'), isError: true })
    expect(await questions()).toEqual([])
    expect(await notices()).toMatchObject([{ type: 'Retracted', detail: { reason: 'timeout' } }])
  })

  it('whose session is gone is a failure that the model reads', async () => {
    const { thread, asked, streams, session } = await scene()
    const result = thread().prompt('go')
    await asked()
    await streams.close(session)
    const { messages, status } = await result
    expect(status).toBe('completed')
    expect(toolResult(messages)).toEqual({ content: expect.stringContaining('client is gone'), isError: true })
  })

  it('with arguments that are too large to send fails, and says so', async () => {
    const { thread, questions } = await scene({ maxMessageBytes: 100 })
    expect(toolResult((await thread().prompt('go')).messages).isError).toBe(true)
    expect(await questions()).toEqual([])
  })

  it.each([
    [{ streams: undefined }, 'streams'],
    [{ session: '' }, 'session'],
    [{ execute: () => 1 }, 'execute'],
    [{ timeoutSeconds: 0 }, 'timeoutSeconds'],
    [{ needsAproval: true }, 'needsAproval'],
  ])('that cannot work is refused when it is built: %j', (options, problem) => {
    const build = () =>
      remoteTool({
        name: 't',
        description: '',
        parameters,
        streams: memoryStreams(),
        session: 's',
        ...options,
      } as never)
    expect(build).toThrow(ToolInvalid)
    expect(build).toThrow(problem)
  })
})

describe('a run that stops while a remote tool runs', () => {
  it('takes the call back and tells the client to stop; its outcome is unknown', async () => {
    const { thread, serve, questions, notices, store } = await scene()
    let stopped = false
    let started = false
    await serve({
      read_file: (_, { signal }) => {
        started = true
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            stopped = true
            resolve('too late')
          })
        })
      },
    })
    const stop = new AbortController()
    const result = thread().prompt('go', { signal: stop.signal })
    await until(() => started)
    stop.abort()
    expect((await result).status).toBe('incomplete')
    await until(() => stopped)
    expect(await questions()).toEqual([])
    expect(await notices()).toMatchObject([{ type: 'Retracted', detail: { reason: 'cancelled' } }])
    const resumed = await thread().resume()
    expect(resumed.status).toBe('suspended')
    const { requests } = await store.findRequests({ status: 'open' })
    expect(JSON.parse(requests[0]!.opened.body)).toMatchObject({ reason: 'unknown_outcome' })
  })

  it('counts a reply that came before it was taken back', async () => {
    const { thread, asked, streams, session } = await scene()
    const stop = new AbortController()
    const result = thread().prompt('go', { signal: stop.signal })
    const [question] = await asked()
    const answered = streams.answer(session, question!.msg_id, { result: 'in time' })
    stop.abort()
    await answered
    await result
    const { messages, status } = await thread().resume()
    expect(status).toBe('completed')
    expect(toolResult(messages).content).toBe('in time')
  })

  it('leaves the call with the client if it is resumable: the resumed run waits for the same one', async () => {
    const { thread, asked, questions, streams, session, notices } = await scene({ resumable: true })
    const stop = new AbortController()
    const result = thread().prompt('go', { signal: stop.signal })
    const [question] = await asked()
    stop.abort()
    expect((await result).status).toBe('incomplete')
    expect(await questions()).toEqual([question])
    const resumed = thread().resume()
    await streams.answer(session, question!.msg_id, { result: 'read' })
    const { messages, status } = await resumed
    expect(status).toBe('completed')
    expect(toolResult(messages).content).toBe('read')
    expect(await notices()).toMatchObject([
      { type: 'Retracted', detail: { msg_id: question!.msg_id, reason: 'answered' } },
    ])
  })

  it('does an idempotent call again under the same key, and takes the first one back', async () => {
    const { thread, asked, questions, streams, session } = await scene({ idempotent: true })
    const stop = new AbortController()
    const result = thread().prompt('go', { signal: stop.signal })
    const [first] = await asked()
    // As a killed process would: without a word.
    const { retract } = streams
    streams.retract = async () => true
    stop.abort()
    await result
    streams.retract = retract
    expect(await questions()).toEqual([first])
    const resumed = thread().resume()
    await until(async () => (await questions()).some(({ msg_id }) => msg_id !== first!.msg_id))
    const [second, ...more] = await questions()
    expect(more).toEqual([])
    const keyOf = (question: typeof first) =>
      (question!.content.body.detail as { idempotencyKey: string }).idempotencyKey
    expect(keyOf(second)).toBe(keyOf(first))
    await streams.answer(session, second!.msg_id, { result: 'again' })
    expect(toolResult((await resumed).messages).content).toBe('again')
  })

  it('lets the time of a resumable call go on', async () => {
    const { thread, asked, questions } = await scene({ resumable: true, timeoutSeconds: 6 })
    const stop = new AbortController()
    const result = thread().prompt('go', { signal: stop.signal })
    const [question] = await asked()
    stop.abort()
    await result
    const { deadline } = question!.content.body.detail as { deadline: string }
    await until(() => Date.now() > Date.parse(deadline))
    const resumed = Date.now()
    const { messages } = await thread().resume()
    expect(Date.now() - resumed).toBeLessThan(5500)
    expect(toolResult(messages).content).toContain('did not answer within 6 s')
    expect(await questions()).toEqual([])
  })

  it('that is aborted for good takes even a resumable call back', async () => {
    const { thread, asked, questions, notices } = await scene({ resumable: true })
    const running = thread()
    const result = running.prompt('go')
    await asked()
    await running.abortPending({ reason: 'enough' })
    expect((await result).status).toBe('aborted')
    await until(async () => (await questions()).length === 0)
    expect(await notices()).toMatchObject([{ type: 'Retracted' }])
  })

  it.each([
    ['says that the outcome is not known', false],
    ['asks again if it is idempotent', true],
  ])('after an answer that was taken and lost it %s', async (_, idempotent) => {
    const { thread, asked, streams, session } = await scene({ resumable: true, idempotent })
    const stop = new AbortController()
    const result = thread().prompt('go', { signal: stop.signal })
    const [question] = await asked()
    stop.abort()
    await result
    await streams.answer(session, question!.msg_id, { result: 'lost' })
    await streams.takeReply(session, question!.msg_id, { waitMs: 0 })
    const resumed = thread().resume()
    if (idempotent) {
      const [again] = await asked()
      expect(again!.msg_id).not.toBe(question!.msg_id)
      await streams.answer(session, again!.msg_id, { result: 'again' })
    }
    const { messages } = await resumed
    expect(toolResult(messages)).toEqual(
      idempotent
        ? { content: 'again', isError: false }
        : { content: expect.stringContaining('not known'), isError: true },
    )
  })
})
