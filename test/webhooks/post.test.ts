import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toWebhookSettings, type WebhookOptions } from '../../src/webhooks/options.ts'
import { post } from '../../src/webhooks/sending/post.ts'
import { receiver } from './receiver.ts'

const LOCAL: WebhookOptions = { allowNetworks: ['127.0.0.0/8'], timeoutSeconds: 0.5 }
const never = new AbortController().signal

function send(url: string, options: WebhookOptions = LOCAL, signal: AbortSignal = never) {
  return post(toWebhookSettings(options), { url, body: '{"type":"x"}', headers: { 'webhook-id': 'msg_1' }, signal })
}

/** A server that speaks raw bytes. */
async function rawServer(speak: (write: (text: string) => void) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    speak((text) => socket.writable && socket.write(text))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`
}

describe('sending a webhook', () => {
  it('succeeds with any 2xx', async () => {
    const { url, got, state } = await receiver((response) => response.writeHead(202).end('thanks'))
    expect(await send(url)).toEqual({ ok: true })
    expect(got.map(({ id, body }) => [id, body])).toEqual([['msg_1', '{"type":"x"}']])
    expect(state.connections).toBe(1)
  })

  it.each([400, 404, 410, 429, 500, 503])('fails with %i, and keeps nothing of the answer', async (status) => {
    const { url } = await receiver((response) => response.writeHead(status).end('internal secret'))
    expect(await send(url)).toEqual({ ok: false, error: `HTTP ${status}` })
  })

  it.each([301, 302, 307, 308])('follows no redirect (%i)', async (status) => {
    const other = await receiver()
    const { url } = await receiver((response) => response.writeHead(status, { location: other.url }).end())
    expect(await send(url)).toEqual({ ok: false, error: `HTTP ${status}: redirects are not followed` })
    expect(other.state.connections).toBe(0)
  })

  it('ends at the deadline if the target hangs', async () => {
    const { url } = await receiver(() => undefined)
    expect(await send(url)).toEqual({ ok: false, error: 'no answer within 0.5 seconds' })
  })

  it('ends at the deadline if the target sends its head byte by byte', async () => {
    const url = await rawServer((write) => {
      let sent = 0
      const head = 'HTTP/1.1 200 OK\r\n'.padEnd(1000, 'x')
      const timer = setInterval(() => write(head[sent++] ?? ''), 20)
      onTestFinished(() => clearInterval(timer))
    })
    const started = performance.now()
    expect(await send(url)).toEqual({ ok: false, error: 'no answer within 0.5 seconds' })
    expect(performance.now() - started).toBeLessThan(5000)
  })

  it('does not read an endless answer', async () => {
    let written = 0
    let closed = false
    const { url } = await receiver((response) => {
      response.writeHead(200)
      const chunk = Buffer.alloc(65_536)
      const pump = (): void => {
        while (!closed && response.write(chunk)) written += chunk.length
      }
      response.on('drain', pump)
      response.on('close', () => (closed = true))
      pump()
    })
    expect(await send(url)).toEqual({ ok: true })
    await expect.poll(() => closed).toBe(true)
    expect(written).toBeLessThan(50_000_000)
  })

  it('fails if nobody listens, or the connection breaks off', async () => {
    const { url, stop } = await receiver((_, __, request) => request.socket.destroy())
    expect(await send(url)).toMatchObject({ ok: false })
    stop()
    expect(await send(url)).toMatchObject({ ok: false, error: expect.stringContaining('ECONNREFUSED') })
  })
})

describe('the address of a webhook', () => {
  it.each(['http://127.0.0.1:PORT/', 'http://[::ffff:127.0.0.1]:PORT/', 'http://0x7f000001:PORT/'])(
    '%s is not connected to unless the operator allows its network',
    async (pattern) => {
      const { port, state } = await receiver()
      const sent = await send(pattern.replace('PORT', String(port)), {})
      expect(sent).toMatchObject({ ok: false, error: expect.stringContaining('public Internet') })
      expect(state.connections).toBe(0)
    },
  )

  it('a name that leads to a private network is refused, even if only one of its addresses does', async () => {
    const { port, state } = await receiver()
    const lookup = async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]
    const sent = await send(`https://rebind.example:${port}/`, { lookup })
    expect(sent).toMatchObject({ ok: false, error: expect.stringContaining('public Internet') })
    expect(state.connections).toBe(0)
  })

  it('a name that changes its address between check and connection gains nothing: it is resolved once', async () => {
    const { port, state, got } = await receiver()
    const asked: string[] = []
    // An attacker's name server: an allowed address first, a forbidden one from then on.
    const lookup = async (hostname: string) => {
      asked.push(hostname)
      return [{ address: asked.length === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]
    }
    const options = { ...LOCAL, allowNetworks: ['127.0.0.1/32'], lookup }
    expect(await send(`http://rebind.example:${port}/hooks`, options)).toEqual({ ok: true })
    expect([asked, got.length]).toEqual([['rebind.example'], 1])
    expect(await send(`http://rebind.example:${port}/hooks`, options)).toMatchObject({ ok: false })
    expect([asked.length, state.connections, got.length]).toEqual([2, 1, 1])
  })

  it('a name that cannot be resolved fails', async () => {
    const failing = async () => Promise.reject(new Error('no such host'))
    expect(await send('https://nowhere.example/', { lookup: failing })).toEqual({ ok: false, error: 'no such host' })
    expect(await send('https://nowhere.example/', { lookup: async () => [] })).toMatchObject({ ok: false })
  })

  it('a name server that hangs ends at the deadline', async () => {
    const lookup = () => new Promise<never>(() => undefined)
    const sent = await send('https://nowhere.example/', { lookup, timeoutSeconds: 0.2 })
    expect(sent).toEqual({ ok: false, error: 'no answer within 0.2 seconds' })
  })
})
