import { describe, expect, it } from 'vitest'
import { readAll } from '../support/read-all.ts'
import { until } from '../support/until.ts'
import { json, pollFrom, withServer } from './fake-gateway.ts'
import { idsOf, note, question } from './wire-messages.ts'

const SESSION = '9d3c1c9e-8d3f-4f6f-9c42-0c8b4f6f2a10'

describe('a client in real life', () => {
  it('treats a failing token source as a failed try, and recovers', async () => {
    let asked = 0
    const token = async () => {
      asked += 1
      if (asked % 3 !== 0) throw new Error('the login is away')
      return 'secret'
    }
    await withServer(pollFrom([note('a')]), async ({ client, requests }) => {
      expect(idsOf(await readAll(client({ token }).messages(SESSION)))).toEqual(['a'])
      expect(asked).toBeGreaterThanOrEqual(6)
      expect(requests.every((got) => got.token === 'Bearer secret')).toBe(true)
    })
  })

  it('says what is wrong while it tries again, and gives up a reply after its tries', async () => {
    const token = () => Promise.reject(new Error('the login is away'))
    await withServer(pollFrom([]), async ({ client, requests }) => {
      const session = client({ token }).session(SESSION)
      await until(() => session.state === 'retrying')
      expect(session.error).toMatchObject({ code: 'unreachable', detail: expect.stringContaining('the login is away') })
      session.close()
      await session.ended
      const reply = client({ token }).respond(SESSION, 'q', 'yes', { tries: 2 })
      await expect(reply).rejects.toMatchObject({ code: 'unreachable' })
      expect(requests).toEqual([])
    })
  })

  it('does not wait for a token that never comes: its signal and its time limit count', async () => {
    const token = () => new Promise<string>(() => undefined)
    await withServer(pollFrom([]), async ({ client }) => {
      const leave = new AbortController()
      const reading = readAll(client({ token }).messages(SESSION, { signal: leave.signal }))
      leave.abort()
      expect(await reading).toEqual([])
      const reply = client({ token, requestTimeoutMs: 20 }).respond(SESSION, 'q', 'yes', { tries: 2 })
      await expect(reply).rejects.toMatchObject({ code: 'unreachable' })
    })
  })

  it.each(['sse', 'auto', 'poll'] as const)('treats only a gateway’s own 404 as the end: %s', async (transport) => {
    let failing = 4
    const wanted = pollFrom([note('a')])
    await withServer(
      (got, response) => {
        if (failing-- > 0) {
          const [status, type] = failing % 2 === 0 ? [404, 'text/html'] : [404, 'application/json']
          response.writeHead(status as number, { 'content-type': type as string })
          return void response.end(type === 'text/html' ? '<h1>Not found</h1>' : '{"detail":"Not Found"}')
        }
        if (got.path.startsWith('/hil/events')) {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          const data = JSON.stringify(note('a'))
          return void response.end(`: open\n\nid: 1\nevent: Notification\ndata: ${data}\n\nevent: gone\ndata: {}\n\n`)
        }
        return wanted(got, response)
      },
      async ({ client }) => {
        expect(idsOf(await readAll(client({ transport }).messages(SESSION)))).toEqual(['a'])
        expect(failing).toBeLessThan(0)
      },
    )
  })

  it('resends a reply that a proxy answered, and knows that the first was not accepted', async () => {
    let pages = 2
    await withServer(
      (_, response) => {
        if (pages-- > 0) return void response.writeHead(pages === 0 ? 404 : 502).end('<h1>Deploying</h1>')
        json(response, 200)
      },
      async ({ client, requests }) => {
        expect(await client().respond(SESSION, 'q', 'yes')).toBe('answered')
        expect(requests).toHaveLength(3)
      },
    )
  })

  it('treats an HTML page as a network failure, once the gateway has answered before', async () => {
    let polls = 0
    const wanted = pollFrom([note('a'), note('b')])
    await withServer(
      (got, response) => {
        if (got.path === '/hil/poll' && ++polls === 2) {
          return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back soon</h1>')
        }
        return wanted(got, response)
      },
      async ({ client }) => {
        expect(idsOf(await readAll(client().messages(SESSION)))).toEqual(['a', 'b'])
      },
    )
  })

  it('limits its connections: further sessions are polled', async () => {
    let waiting = 0
    let most = 0
    const ids = Array.from({ length: 7 }, (_, n) => `9d3c1c9e-8d3f-4f6f-9c42-0c8b4f6f2a1${n}`)
    await withServer(
      async ({ body, path }, response) => {
        if (path !== '/hil/poll') return void response.writeHead(404).end()
        const { session_task_id: id, timeout, redis_last_id: after } = body as { [key: string]: string & number }
        if (after === '0') return json(response, 200, { redis_last_id: '1', HIL_msg: question(`q of ${id}`) })
        if (timeout === 0) return json(response, 204)
        waiting += 1
        most = Math.max(most, waiting)
        response.on('close', () => {
          waiting -= 1
        })
      },
      async ({ client }) => {
        const one = client({ maxConnections: 2 })
        const sessions = ids.map((id) => one.session(id))
        await until(() => sessions.every(({ pending }) => pending.length === 1))
        await until(() => waiting === 2)
        expect(most).toBe(2)
        for (const session of sessions) session.close()
        await Promise.all(sessions.map(({ ended }) => ended))
      },
    )
  })

  it('does not take a web page for an accepted reply', async () => {
    const page = { 'content-type': 'text/html; charset=utf-8' }
    await withServer(
      ({ path }, response) => {
        if (path === '/hil/respond') return void response.writeHead(302, { location: '/login' }).end()
        response.writeHead(200, page).end('<h1>Log in</h1>')
      },
      async ({ client }) => {
        const sent = client().respond(SESSION, 'q', 'yes', { tries: 2 })
        await expect(sent).rejects.toMatchObject({ code: 'unreachable', status: 200 })
      },
    )
  })

  it.each(['9999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'leaves a server alone that says Retry-After: %s',
    async (retryAfter) => {
      await withServer(
        (_, response) => void response.writeHead(429, { 'retry-after': retryAfter }).end('{}'),
        async ({ client, requests }) => {
          const stop = new AbortController()
          const sent = client().respond(SESSION, 'q', 'yes', { tries: 100, signal: stop.signal })
          await until(() => requests.length === 1)
          await new Promise((resolve) => setTimeout(resolve, 100))
          stop.abort(new Error('enough'))
          await expect(sent).rejects.toThrow('enough')
          expect(requests).toHaveLength(1)
        },
      )
    },
  )

  it('does not poll an inbox in a tight loop when the server answers without waiting', async () => {
    await withServer(
      (_, response) => json(response, 204),
      async ({ client, requests }) => {
        const inbox = client().inbox()
        await until(() => requests.length >= 2)
        await new Promise((resolve) => setTimeout(resolve, 100))
        inbox.close()
        await inbox.ended
        expect(requests.length).toBeLessThanOrEqual(2)
      },
    )
  })
})
