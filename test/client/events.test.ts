import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { readAll } from '../support/read-all.ts'
import { until } from '../support/until.ts'
import { type Answer, json, pollFrom, type TestServer, withServer } from './fake-gateway.ts'
import { idsOf, note, question } from './wire-messages.ts'

const S = '550e8400-e29b-41d4-a716-446655440000'

function head(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  response.write(': hello\n\n')
}

function event(position: number, message: { msg_type: string }): string {
  return `id: ${position}\nevent: ${message.msg_type}\ndata: ${JSON.stringify(message)}\n\n`
}

/** Events here, polls there. */
const either =
  (events: Answer, poll: Answer): Answer =>
  (got, response) =>
    (got.path.startsWith('/hil/events') ? events : poll)(got, response)

/** Works with a server that sends one event and keeps the connection. `closed` says whether the client closed it. */
async function withOneEvent(
  work: (client: TestServer['client'], closed: () => boolean) => Promise<void>,
): Promise<void> {
  let closed = false
  await withServer(
    (_, response) => {
      head(response)
      response.write(event(1, note('a')))
      response.once('close', () => {
        closed = true
      })
    },
    ({ client }) => work(client, () => closed),
  )
}

describe('messages by server-sent events', () => {
  it('arrive in order until the stream ends', () =>
    withServer(
      (_, response) => {
        head(response)
        response.end(`${event(1, question('a'))}${event(2, note('b'))}event: gone\ndata: {}\n\n`)
      },
      async ({ client, requests }) => {
        expect(await readAll(client({ transport: 'auto' }).messages(S))).toEqual([
          { kind: 'interrupt', id: 'a', position: '1', content: question('a').content },
          { kind: 'notification', id: 'b', position: '2', content: { text: 'b' } },
        ])
        expect(requests.map(({ path }) => path)).toEqual([`/hil/events?session_task_id=${S}`])
      },
    ))

  it('continue after a broken connection, without gaps or repeats', () => {
    const all = ['a', 'b', 'c', 'd'].map((id) => note(id))
    return withServer(
      ({ lastEventId = '0' }, response) => {
        const next = Number(lastEventId)
        head(response)
        if (next >= all.length) return void response.end('event: gone\ndata:\n\n')
        response.write(event(next + 1, all[next]!), () => response.destroy())
      },
      async ({ client, requests, to }) => {
        expect(idsOf(await readAll(client({ transport: 'auto' }).messages(S)))).toEqual(['a', 'b', 'c', 'd'])
        expect(to('/hil/poll')).toEqual([])
        expect(requests.map(({ lastEventId }) => lastEventId)).toEqual([undefined, '1', '2', '3', '4'])
      },
    )
  })

  it('are read however chunks are cut, also inside a character', () =>
    withServer(
      async (_, response) => {
        head(response)
        const bytes = Buffer.from(`${event(1, note('a', { text: '审批 ✓' }))}event: gone\ndata: x\n\n`)
        for (let at = 0; at < bytes.length; at += 7) {
          response.write(bytes.subarray(at, at + 7))
          await new Promise((resolve) => setImmediate(resolve))
        }
        response.end()
      },
      async ({ client }) => {
        const [message] = await readAll(client({ transport: 'sse' }).messages(S))
        expect(message?.content).toEqual({ text: '审批 ✓' })
      },
    ))

  it('a silent connection is replaced', () => {
    let connections = 0
    return withServer(
      (_, response) => {
        connections += 1
        head(response)
        if (connections > 1) response.end('event: gone\ndata:\n\n')
      },
      async ({ client, to }) => {
        await readAll(client({ transport: 'auto', silenceMs: 600 }).messages(S))
        expect(connections).toBe(2)
        expect(to('/hil/poll')).toEqual([])
      },
    )
  })

  it('end quietly when the signal fires, and the connection is let go', async () => {
    await withOneEvent(async (client, closed) => {
      const stop = new AbortController()
      const ids: string[] = []
      for await (const { id } of client({ transport: 'auto' }).messages(S, { signal: stop.signal })) {
        ids.push(id)
        stop.abort()
      }
      expect(ids).toEqual(['a'])
      await until(closed)
    })
  })

  it('leaving the loop closes the connection', async () => {
    await withOneEvent(async (client, closed) => {
      for await (const { id } of client({ transport: 'auto' }).messages(S)) {
        expect(id).toBe('a')
        break
      }
      await until(closed)
    })
  })

  it('a refusal is a typed error, and is not tried by polling', () =>
    withServer(
      (_, response) => json(response, 403, { detail: 'not yours' }),
      async ({ client, requests }) => {
        const read = readAll(client({ transport: 'auto' }).messages(S))
        await expect(read).rejects.toMatchObject({ code: 'forbidden', detail: 'not yours' })
        expect(requests).toHaveLength(1)
      },
    ))
})

describe('where server-sent events do not work', () => {
  const broken: Record<string, Answer> = {
    'there is no such endpoint (404)': (_, response) => json(response, 404, { detail: 'Not Found' }),
    'the method is not allowed (405)': (_, response) => json(response, 405),
    'it is not implemented (501)': (_, response) => json(response, 501),
    'something else answers': (_, response) => {
      response.end('<html>hello</html>')
    },
    'a proxy keeps the body': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
    },
    'a proxy keeps even the head': () => undefined,
    'it always fails (502)': (_, response) => json(response, 502),
  }

  it.each(Object.entries(broken))('messages are polled: %s', (_, events) =>
    withServer(either(events, pollFrom([question('a'), note('b')])), async ({ client, to }) => {
      const reader = client({ transport: 'auto', silenceMs: 600 })
      expect(idsOf(await readAll(reader.messages(S)))).toEqual(['a', 'b'])
      const tries = to('/hil/events').length
      expect(tries).toBeLessThanOrEqual(2)
      // What was found out is not found out again.
      expect(idsOf(await readAll(reader.messages(S)))).toEqual(['a', 'b'])
      expect(to('/hil/events')).toHaveLength(tries)
    }),
  )

  it('a stream that is gone is gone, and says nothing about events', () => {
    let there = false
    return withServer(
      (got, response) => {
        if (!there) return json(response, 404)
        head(response)
        response.end(`${event(1, note('a'))}event: gone\ndata:\n\n`)
        expect(got.path).toContain('/hil/events')
      },
      async ({ client, to }) => {
        const reader = client({ transport: 'auto' })
        expect(await readAll(reader.messages(S))).toEqual([])
        there = true
        expect(idsOf(await readAll(reader.messages(S)))).toEqual(['a'])
        expect(to('/hil/poll')).toHaveLength(1)
      },
    )
  })

  it('a client that must not poll says so, and knows a stream that is gone', () =>
    withServer(
      either(broken['the method is not allowed (405)']!, (_, r) => json(r, 204)),
      async ({ client }) => {
        await expect(readAll(client({ transport: 'sse' }).messages(S))).rejects.toMatchObject({ code: 'refused' })
      },
    ).then(() =>
      withServer(
        (_, response) => json(response, 404),
        async ({ client }) => {
          expect(await readAll(client({ transport: 'sse' }).messages(S))).toEqual([])
        },
      ),
    ))
})
