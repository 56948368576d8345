import type { ServerResponse } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import type { ApiError, EventsOptions, InboxClient, LiveEvent, LiveEvents, NetworkError } from '../../../src/client.ts'
import { beginEvents, json, sendEvent, withApi } from './api-server.ts'

const opened = (id: string): LiveEvent => ({ type: 'request', what: 'opened', id, version: 1 })

interface Watched {
  stream: LiveEvents
  events: LiveEvent[]
  states: string[]
  problems: (ApiError | NetworkError | undefined)[]
}

function watch(client: InboxClient, options: Partial<EventsOptions> = {}): Watched {
  const watched: Omit<Watched, 'stream'> = { events: [], states: [], problems: [] }
  const stream = client.events({
    onEvent: (event) => watched.events.push(event),
    onState: (state, problem) => {
      watched.states.push(state)
      watched.problems.push(problem)
    },
    ...options,
  })
  return { stream, ...watched }
}

describe('live events', () => {
  it('come in order, and go on after the last one when the connection breaks', async () => {
    await withApi(
      ({ headers }, response) => {
        beginEvents(response)
        const after = Number(headers['last-event-id'] ?? 0)
        for (const n of [1, 2]) sendEvent(response, String(after + n), opened(`r${after + n}`))
        if (after < 4) response.end()
      },
      async ({ client, calls }) => {
        const { stream, events, states } = watch(client())
        await vi.waitFor(() => expect(events).toHaveLength(6))
        expect(events.map((event) => event.type === 'request' && event.id)).toEqual([
          ...['r1', 'r2', 'r3', 'r4', 'r5', 'r6'],
        ])
        expect(calls.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '4'])
        expect(stream.lastEventId).toBe('6')
        stream.close()
        await stream.ended
        expect(states).toEqual(['connecting', 'live', 'waiting', 'live', 'waiting', 'live', 'closed'])
      },
    )
  })

  it('an event that was cut off is not counted as received', async () => {
    let count = 0
    await withApi(
      (_, response) => {
        beginEvents(response)
        if (count++ === 0) {
          sendEvent(response, '1', opened('r1'))
          response.write(`id: 2\ndata: {"type":`, () => response.end())
        } else sendEvent(response, '2', opened('r2'))
      },
      async ({ client, calls }) => {
        const { stream, events } = watch(client())
        await vi.waitFor(() => expect(events).toHaveLength(2))
        expect(calls[1]!.headers['last-event-id']).toBe('1')
        stream.close()
      },
    )
  })

  it('a position without an event counts, so that a quiet stream misses nothing', async () => {
    await withApi(
      (_, response) => {
        beginEvents(response)
        response.write('id: here\n\n', () => response.end())
      },
      async ({ client, calls }) => {
        const { stream, events } = watch(client())
        await vi.waitFor(() => expect(calls.length).toBeGreaterThan(1))
        expect(calls[1]!.headers['last-event-id']).toBe('here')
        stream.close()
        expect(events).toEqual([])
      },
    )
  })

  it('without a position, a broken connection is a reset: events may have been missed', async () => {
    let count = 0
    await withApi(
      (_, response) => {
        beginEvents(response)
        if (count++ === 0) response.end()
      },
      async ({ client }) => {
        const { stream, events } = watch(client())
        await vi.waitFor(() => expect(events).toEqual([{ type: 'reset' }]))
        stream.close()
      },
    )
  })

  it('goes on where an earlier stream ended', async () => {
    await withApi(
      (_, response) => beginEvents(response),
      async ({ client, calls }) => {
        const { stream } = watch(client(), { after: 'then' })
        await vi.waitFor(() => expect(calls).toHaveLength(1))
        expect(calls[0]!.headers['last-event-id']).toBe('then')
        stream.close()
      },
    )
  })

  it('a connection that falls silent is replaced', async () => {
    const open: ServerResponse[] = []
    await withApi(
      (_, response) => {
        beginEvents(response)
        open.push(response)
      },
      async ({ client }) => {
        const { stream, problems } = watch(client({ silenceMs: 40 }))
        await vi.waitFor(() => expect(open.length).toBeGreaterThan(1))
        expect(problems).toContainEqual(expect.objectContaining({ name: 'NetworkError', late: true }))
        stream.close()
        await stream.ended
      },
    )
  })

  it('ends, and tells that the sign-in ended, when the gateway says 401', async () => {
    await withApi(
      (_, response) => json(response, 401, { code: 'unauthorized', detail: 'Sign in.' }),
      async ({ client, calls }) => {
        const onSignedOut = vi.fn()
        const { stream, states, problems } = watch(client({ onSignedOut }))
        await stream.ended
        expect(states).toEqual(['connecting', 'closed'])
        expect(problems[1]).toMatchObject({ status: 401 })
        expect(onSignedOut).toHaveBeenCalledOnce()
        expect(calls).toHaveLength(1)
      },
    )
  })

  it('waits through error pages of whatever stands before a gateway', async () => {
    let count = 0
    await withApi(
      (_, response) => {
        if (count++ < 2) response.writeHead(count === 1 ? 502 : 404).end('<h1>Starting</h1>')
        else beginEvents(response)
      },
      async ({ client }) => {
        const { stream, states } = watch(client())
        await vi.waitFor(() => expect(stream.state).toBe('live'))
        expect(states).toEqual(['connecting', 'waiting', 'waiting', 'live'])
        stream.close()
      },
    )
  })

  it('tries at once when it is told that the network is back', async () => {
    let count = 0
    await withApi(
      (_, response) => {
        if (count++ === 0) response.destroy()
        else beginEvents(response)
      },
      async ({ client }) => {
        const { stream } = watch(client({ backoff: { initialMs: 1_000_000, maxMs: 1_000_000 } }))
        await vi.waitFor(() => expect(stream.state).toBe('waiting'))
        stream.retryNow()
        await vi.waitFor(() => expect(stream.state).toBe('live'))
        stream.close()
        await stream.ended
      },
    )
  })

  it('a live connection is replaced when it is told that the network changed, and goes on after the last event', async () => {
    await withApi(
      (request, response) => {
        beginEvents(response)
        if (request.headers['last-event-id'] === undefined) sendEvent(response, 'p1', opened('a'))
        else sendEvent(response, 'p2', opened('b'))
      },
      async ({ client, calls }) => {
        const { stream, events, states } = watch(client())
        await vi.waitFor(() => expect(events).toEqual([opened('a')]))
        stream.retryNow()
        await vi.waitFor(() => expect(events).toEqual([opened('a'), opened('b')]))
        expect(calls).toHaveLength(2)
        expect(states).toEqual(['connecting', 'live'])
        stream.close()
        await stream.ended
      },
    )
  })

  it('connections that are dropped at once are tried less and less often', async () => {
    await withApi(
      (_, response) => {
        beginEvents(response)
        response.end()
      },
      async ({ client, calls }) => {
        const { stream } = watch(client({ backoff: { initialMs: 40, maxMs: 10_000 } }))
        await new Promise((resolve) => setTimeout(resolve, 400))
        stream.close()
        expect(calls.length).toBeGreaterThan(1)
        expect(calls.length).toBeLessThan(8)
      },
    )
  })

  it('ends with its signal, and closes the connection', async () => {
    let closed = false
    await withApi(
      (_, response) => {
        beginEvents(response)
        response.on('close', () => {
          closed = true
        })
      },
      async ({ client }) => {
        const stop = new AbortController()
        const { stream, states } = watch(client(), { signal: stop.signal })
        await vi.waitFor(() => expect(stream.state).toBe('live'))
        stop.abort()
        await stream.ended
        expect(states.at(-1)).toBe('closed')
        await vi.waitFor(() => expect(closed).toBe(true))
      },
    )
  })
})
