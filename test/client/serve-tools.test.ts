import { describe, expect, it } from 'vitest'
import type { RemoteHandlers } from '../../src/client.ts'
import { until } from '../support/until.ts'
import { type Got, json, type TestServer, withServer } from './fake-gateway.ts'
import { note, question, retraction } from './wire-messages.ts'

const S = '550e8400-e29b-41d4-a716-446655440000'

const call = (id: string, tool = 'pick', args: object = { n: 1 }) =>
  question(id, 'RemoteTool', { tool, detail: { args, idempotencyKey: `key-${id}` } })
const progressSlot = (id: string, of: string) =>
  question(id, 'RemoteToolProgress', { tool: 'pick', detail: { call: of } })

/** Serves the tools over a stream that the test writes, and ends it after that. */
function serving(
  handlers: RemoteHandlers,
  work: (scene: {
    stream: object[]
    replies: () => unknown[]
    server: TestServer
    served: Promise<void>
  }) => Promise<void>,
  { refuse }: { refuse?: (got: Got) => number | undefined } = {},
): Promise<void> {
  const stream: object[] = []
  return withServer(
    (got, response) => {
      if (got.path === '/hil/respond') return json(response, refuse?.(got) ?? 200, { detail: 'too large' })
      const next = Number(got.body.redis_last_id)
      const message = stream[next] as { gone?: boolean } | undefined
      if (!message) return json(response, 204)
      if (message.gone) return json(response, 404)
      json(response, 200, { redis_last_id: String(next + 1), HIL_msg: message })
    },
    async (server) => {
      const served = server.client({ pollTimeoutSeconds: 0, pollIntervalMs: 5 }).serveTools(S, handlers)
      const replies = () => server.to('/hil/respond').map(({ body }) => [body.hil_msg_id, body.msg])
      await work({ stream, replies, server, served })
      stream.push({ gone: true })
      await served
    },
  )
}

describe('tools that a client serves', () => {
  it('are called with their arguments, and their results are the replies', () =>
    serving({ pick: async ({ n }) => n + 1, log: () => undefined }, async ({ stream, replies }) => {
      stream.push(call('a', 'pick', { n: 4 }), note('x'), call('b', 'log'), call('c', 'unknown'), question('d'))
      await until(() => replies().length === 2)
      expect(replies()).toEqual([
        ['a', { result: 5 }],
        ['b', { result: null }],
      ])
    }))

  it('get the key and the fencing token of their call', () => {
    const got: unknown[] = []
    return serving(
      { pick: (_, { idempotencyKey, fencingToken }) => got.push([idempotencyKey, fencingToken]) },
      async (scene) => {
        const detail = { args: {}, idempotencyKey: 'k', fencingToken: 7 }
        scene.stream.push(question('a', 'RemoteTool', { tool: 'pick', detail }))
        await until(() => scene.replies().length === 1)
        expect(got).toEqual([['k', 7]])
      },
    )
  })

  it('that throw answer with their error', () =>
    serving(
      {
        pick: () => {
          throw new Error('no such file')
        },
      },
      async ({ stream, replies }) => {
        stream.push(call('a'))
        await until(() => replies().length === 1)
        expect(replies()).toEqual([['a', { error: 'no such file' }]])
      },
    ))

  it('run once, however often the call is shown; afterwards the same reply is given again', () => {
    let runs = 0
    let finish: (value: string) => void = () => undefined
    const pick = () => {
      runs += 1
      return new Promise((resolve) => {
        finish = resolve
      })
    }
    return serving({ pick }, async ({ stream, replies, server }) => {
      stream.push(call('a'), call('a'))
      await until(() => server.to('/hil/poll').length > 3)
      finish('done')
      await until(() => replies().length === 1)
      stream.push(call('a'))
      await until(() => replies().length === 2)
      expect(replies()).toEqual([
        ['a', { result: 'done' }],
        ['a', { result: 'done' }],
      ])
      expect(runs).toBe(1)
    })
  })

  it('are told to stop when the call is taken back, and say nothing then', () => {
    let stopped = 0
    const pick = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          stopped += 1
          resolve('too late')
        })
      })
    return serving({ pick }, async ({ stream, replies }) => {
      stream.push(call('a'))
      stream.push(retraction('r', 'a'))
      await until(() => stopped === 1)
      await new Promise((resolve) => setImmediate(resolve))
      expect(replies()).toEqual([])
    })
  })

  it('are told to stop when the stream is gone', async () => {
    let stopped = false
    const pick = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => {
          stopped = true
        })
      })
    await serving({ pick }, async ({ stream }) => {
      stream.push(call('a'))
    })
    expect(stopped).toBe(true)
  })

  it('report their progress on request: the latest, once for each request', () => {
    let finish: (value: string) => void = () => undefined
    return serving(
      {
        pick: (_: unknown, { progress }) => {
          progress(1)
          progress(2)
          return new Promise((resolve) => {
            finish = resolve
          })
        },
      },
      async ({ stream, replies }) => {
        stream.push(call('a'), progressSlot('p1', 'a'), progressSlot('p2', 'a'), progressSlot('p3', 'other'))
        await until(() => replies().length === 1)
        finish('done')
        await until(() => replies().length === 2)
        expect(replies()).toEqual([
          ['p1', { progress: 2 }],
          ['a', { result: 'done' }],
        ])
      },
    )
  })

  it('whose result is refused answer with the reason', () =>
    serving(
      { pick: () => 'x'.repeat(100) },
      async ({ stream, replies }) => {
        stream.push(call('a'))
        await until(() => replies().length === 2)
        expect(replies()[1]).toEqual(['a', { error: 'The result could not be sent: too large' }])
      },
      { refuse: ({ body }) => ('error' in (body.msg as object) ? undefined : 413) },
    ))

  it('end with the error of a gateway that refuses the replies', () =>
    withServer(
      (got, response) => {
        if (got.path === '/hil/respond') return json(response, 403, { detail: 'not you' })
        if (got.body.redis_last_id === '0') return json(response, 200, { redis_last_id: '1', HIL_msg: call('a') })
        json(response, 204)
      },
      async ({ client }) => {
        await expect(client().serveTools(S, { pick: () => 1 })).rejects.toMatchObject({ code: 'forbidden' })
      },
    ))

  it('end quietly when the signal fires', () =>
    withServer(
      (_, response) => json(response, 204),
      async ({ client, requests }) => {
        const stop = new AbortController()
        const served = client().serveTools(S, {}, { signal: stop.signal })
        await until(() => requests.length > 0)
        stop.abort()
        await served
      },
    ))
})
