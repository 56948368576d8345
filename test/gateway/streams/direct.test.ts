import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { directly } from '../../../src/gateway/node/direct.ts'
import { createGateway, type Gateway, type GatewayOptions, jwtAuth, serve } from '../../../src/gateway.ts'
import { memoryStreams } from '../../../src/streams/memory/streams.ts'
import { SECRET, tokenOf } from '../../support/gateway/served-gateway.ts'
import { question } from '../../support/gateway/stream-messages.ts'
import { soak } from '../../support/soak.ts'
import { until } from '../../support/until.ts'

const SESSION = '0b56b6a4-6f5a-4c62-9d6c-2f3ad1f9a001'
const ASKED = { ...question(), msg_id: '0b56b6a4-6f5a-4c62-9d6c-2f3ad1f9a002' }

/** A gateway with a session of ann that has one open question. */
async function gatewayWith(options: Partial<GatewayOptions>) {
  const streams = memoryStreams()
  onTestFinished(() => streams.shutdown())
  const auth = jwtAuth({ secret: SECRET, issuer: 'tests', audience: 'gateway' })
  const gateway = createGateway({ auth, streams, maxPollSeconds: 0.01, maxBodyBytes: 2000, ...options })
  /** As if nothing had been answered. */
  const renew = async () => {
    await streams.close(SESSION)
    await streams.open(SESSION, { owner: 'ann', expireSeconds: 60 })
    await streams.send(SESSION, ASKED)
  }
  return { gateway, streams, renew }
}

async function portOf(gateway: Gateway): Promise<number> {
  const server = await serve(gateway, { graceSeconds: 0.2 })
  onTestFinished(() => server.close())
  return server.port
}

/** Whoever wraps `fetch` sees every request, so this goes through Hono. */
function throughHono(gateway: Gateway): Gateway {
  const { fetch } = gateway
  gateway.fetch = (...given) => fetch(...given)
  return gateway
}

/** A request as bytes, in pieces that are sent one after the other. */
interface Sent {
  line: string
  headers: [string, string][]
  body: Buffer
  framing: 'length' | 'chunked' | 'none'
  split: boolean
}

function piecesOf({ line, headers, body, framing, split }: Sent): Buffer[] {
  const length: [string, string][] = framing === 'length' ? [['content-length', String(body.length)]] : []
  const chunked: [string, string][] = framing === 'chunked' ? [['transfer-encoding', 'chunked']] : []
  const all = [...headers, ...length, ...chunked, ['connection', 'close']]
  const head = Buffer.from(`${line} HTTP/1.1\r\n${all.map((each) => each.join(': ')).join('\r\n')}\r\n\r\n`, 'latin1')
  const chunk = body.length > 0 ? [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')] : []
  const rest = framing === 'chunked' ? Buffer.concat([...chunk, Buffer.from('0\r\n\r\n')]) : body
  const sent = framing === 'none' ? Buffer.alloc(0) : rest
  return split ? [head, sent] : [Buffer.concat([head, sent])]
}

/** Sends a request and reads until the other side closes: the status, headers and body, without what differs every time. */
function exchange(port: number, sent: Sent) {
  return new Promise<object>((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1', async () => {
      for (const [i, piece] of piecesOf(sent).entries()) {
        if (i > 0) await new Promise((soon) => setTimeout(soon, 5))
        socket.write(piece)
      }
    })
    const chunks: Buffer[] = []
    socket.setNoDelay(true)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('end', () => resolve(readable(Buffer.concat(chunks).toString())))
  })
}

function readable(answer: string): object {
  const final = answer.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
  const [head = '', body = ''] = final.split(/\r\n\r\n([\s\S]*)/)
  const [status, ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(/: (.*)/)))
  const { date: _date, 'x-request-id': id, ...rest } = headers
  // A made id begins with what is random for each gateway.
  const own = String(id).length < 37 ? id : 'made'
  return { status, headers: rest, id: own, body: body.replace(/"redis_last_id":"[^"]*"/, '"redis_last_id":"…"') }
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const poll = { session_task_id: SESSION, timeout: 1 }
const reply = { session_task_id: SESSION, hil_msg_id: ASKED.msg_id, msg: { choice: 'a' } }

const bodies = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(json(poll), json(reply), json({ ...reply, msg: 'blue' })) },
  fc
    .record({
      key: fc.constantFrom(...Object.keys({ ...poll, ...reply }), 'redis_last_id', 'comment', 'always', 'extra'),
      value: fc.jsonValue(),
    })
    .map(({ key, value }) => json({ ...poll, ...reply, [key]: value })),
  fc.constantFrom(
    ...[
      '',
      '{',
      'null',
      '[]',
      '"x"',
      `\ufeff${JSON.stringify(poll)}`,
      '{"session_task_id":"\\ud800"}',
      '-0',
      ' '.repeat(2500),
    ].map((text) => Buffer.from(text)),
    Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
    Buffer.concat([json(poll), Buffer.from([0])]),
    json({ ...poll, session_task_id: SESSION.toUpperCase() }),
    json({ ...reply, session_task_id: SESSION.toUpperCase() }),
    json({ ...poll, redis_last_id: '18446744073709551616' }),
    json({ ...poll, redis_last_id: '99999999999999999999-1' }),
    json({ ...poll, redis_last_id: '9999999999999999999' }),
  ),
)

async function requests(port: number): Promise<fc.Arbitrary<Sent>> {
  const [ann, bob, auditor, agent] = await Promise.all([
    tokenOf('ann'),
    tokenOf('bob'),
    tokenOf('ann', { roles: ['auditor'] }),
    tokenOf('ann', { roles: ['agent'] }),
  ])
  const authorization = fc.oneof(
    { weight: 5, arbitrary: fc.constant([['Authorization', `Bearer ${ann}`]]) },
    fc.constantFrom<[string, string][]>(
      [],
      [['authorization', `bearer ${bob}`]],
      [['authorization', `Bearer ${auditor}`]],
      [['authorization', `Bearer ${agent}`]],
      [['authorization', 'Basic eA==']],
      [
        ['authorization', `Bearer ${ann}`],
        ['Authorization', `Bearer ${bob}`],
      ],
      [['authorization', '']],
      [
        ['cookie', 'holdpoint_80=x'],
        ['cookie', 'b=c'],
      ],
      [
        ['cookie', 'a=b'],
        ['origin', `http://localhost:${port}`],
        ['holdpoint-csrf', '1'],
      ],
    ),
  )
  const host = fc.oneof(
    { weight: 5, arbitrary: fc.constant([['Host', 'localhost']]) },
    fc.constantFrom<[string, string][]>(
      [],
      [['host', '127.0.0.1:4747']],
      [['host', 'LOCALHOST']],
      [['host', '[::1]:80']],
      [['host', 'evil.example.com']],
      [
        ['host', 'localhost'],
        ['host', 'evil.example.com'],
      ],
      [['host', 'local host']],
      [['host', '']],
      [['host', 'localhost:99']],
    ),
  )
  const more = fc.constantFrom<[string, string][]>(
    [],
    [['x-request-id', 'mine-1']],
    [['x-request-id', 'not mine']],
    [
      ['X-Request-Id', 'a'],
      ['x-request-id', 'b'],
    ],
    [['origin', 'https://app.example.com']],
    [['origin', 'https://evil.example.com']],
    [['accept', 'text/html']],
    [['expect', '100-continue']],
  )
  const path = fc.constantFrom(
    ...[
      '/hil/poll',
      '/hil/respond',
      '/hil/poll',
      '/hil/respond',
      '/hil/poll?a=b',
      '/hil/poll/',
      '/hil/../hil/poll',
      '//hil/poll',
      '/HIL/poll',
      `http://localhost:${port}/hil/poll`,
    ],
  )
  const method = fc.constantFrom('POST', 'POST', 'POST', 'POST', 'GET', 'PUT', 'OPTIONS', 'HEAD')
  return fc.record({
    line: fc.tuple(method, path).map((each) => each.join(' ')),
    headers: fc.tuple(host, authorization, more).map((each) => each.flat() as [string, string][]),
    body: bodies,
    framing: fc.constantFrom<Sent['framing']>('length', 'length', 'length', 'chunked', 'none'),
    split: fc.constantFrom(false, false, false, true),
  })
}

/** What was told, without what differs every time. */
function tellsOf(logger: { info: ReturnType<typeof vi.fn> }) {
  return logger.info.mock.calls
    .splice(0)
    .map(([{ requestId: _id, ms: _ms, url: _url, ...fields }, message]) => ({ ...fields, message }))
}

const loggerOf = () => ({ info: vi.fn(), warn: vi.fn(), error: vi.fn() })

describe('requests that are answered without Hono', () => {
  it.each([[[]], [['https://app.example.com']]])(
    'are answered and told exactly like those that go through it, whatever they are; CORS: %j',
    async (origins) => {
      const loggers = [loggerOf(), loggerOf()] as const
      const [direct, hono] = await Promise.all(loggers.map((logger) => gatewayWith({ cors: { origins }, logger })))
      const ports = [await portOf(direct!.gateway), await portOf(throughHono(hono!.gateway))] as const
      const property = fc.asyncProperty(await requests(ports[0]), async (sent) => {
        await Promise.all([direct!.renew(), hono!.renew()])
        const answers = await Promise.all(ports.map((port) => exchange(port, sent)))
        expect(answers[0]).toEqual(answers[1])
        expect(answers[0]).not.toMatchObject({ status: expect.stringContaining(' 500 ') })
        expect(tellsOf(loggers[0])).toEqual(tellsOf(loggers[1]))
        const left = await Promise.all(
          [direct!, hono!].map(({ streams }) => streams.takeReply(SESSION, ASKED.msg_id, { waitMs: 0 })),
        )
        expect(left[0]).toEqual(left[1])
      })
      await fc.assert(property, soak.runs(150, 3000))
    },
  )

  it('are those that came as a whole, and no others', async () => {
    const { gateway, renew } = await gatewayWith({})
    await renew()
    const others = vi.fn((_request, response) => response.writeHead(299).end())
    const server = createServer({ requireHostHeader: false }, directly(gateway, undefined, others))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const usual: Sent = {
      line: 'POST /hil/poll',
      headers: [
        ['host', 'localhost'],
        ['authorization', `Bearer ${await tokenOf('ann')}`],
      ],
      body: json(poll),
      framing: 'length',
      split: false,
    }
    expect(await exchange(port, usual)).toMatchObject({ status: 'HTTP/1.1 200 OK' })
    expect(others).not.toHaveBeenCalled()
    const unusual: Partial<Sent>[] = [
      { line: 'GET /hil/poll' },
      { line: 'POST /hil/poll?a=b' },
      { line: 'POST /hil/open' },
      { split: true },
      { framing: 'chunked' },
      { framing: 'none' },
      { headers: [] },
      { headers: [['host', 'LOCALHOST']] },
      { headers: [...usual.headers, ['host', 'localhost']] },
    ]
    for (const each of unusual)
      expect(await exchange(port, { ...usual, ...each })).toMatchObject({ status: 'HTTP/1.1 299 unknown' })
    expect(others).toHaveBeenCalledTimes(unusual.length)
  })

  it('let an auth of the application take the function that reads headers', async () => {
    const caller = { sub: 'ann', tenant: 'default', roles: [], groups: [] }
    const auth: GatewayOptions['auth'] = {
      authenticate: async ({ header }) =>
        header('X-Key') === 'k' ? { ok: true, caller } : { ok: false, detail: 'No key.' },
    }
    const { gateway, renew } = await gatewayWith({ auth })
    await renew()
    const port = await portOf(gateway)
    const sent: Sent = {
      line: 'POST /hil/respond',
      headers: [
        ['host', 'localhost'],
        ['x-key', 'k'],
      ],
      body: json(reply),
      framing: 'length',
      split: false,
    }
    expect(await exchange(port, sent)).toMatchObject({ status: 'HTTP/1.1 200 OK' })
  })

  it('give their wait slot back when the client leaves', async () => {
    const { gateway, streams } = await gatewayWith({ maxPollSeconds: 30, maxWaitsPerCaller: 1 })
    await streams.open(SESSION, { owner: 'ann', expireSeconds: 60 })
    const port = await portOf(gateway)
    const headers: [string, string][] = [
      ['host', 'localhost'],
      ['authorization', `Bearer ${await tokenOf('ann')}`],
    ]
    const waiting = (timeout: number): Sent => ({
      line: 'POST /hil/poll',
      headers,
      body: json({ ...poll, timeout }),
      framing: 'length',
      split: false,
    })
    const isCrowded = async () => JSON.stringify(await exchange(port, waiting(1))).includes(' 429 ')
    const socket = connect(port, '127.0.0.1', () => socket.write(piecesOf(waiting(30))[0]!))
    await until(isCrowded)
    socket.destroy()
    await until(async () => !(await isCrowded()))
  })
})
