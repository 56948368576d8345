import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect, test } from 'vitest'
import { pause, until } from '../support/until.ts'
import { legacyAt, modernAt, served } from './over-http.ts'
import { approve, asked, callOf, clientOf, held, openRequests, proxyOf, textOf } from './proxies.ts'
import { rawClient, rawServer, saying, text } from './raw-server.ts'

/** Short, and longer than most clients take from one request to the next: one whose session has ended meanwhile gets 404. */
const idleSeconds = 0.25
const nobody = held('none')

/** A call of a client with sessions, which initialises again as often as its session has ended. */
async function payAt(url: URL, token: string): Promise<{ client: Client; said: string }> {
  for (;;) {
    try {
      const client = await legacyAt(url, token)
      return { client, said: textOf(await callOf(client, 'pay', { cents: 1 })) }
    } catch (error) {
      if ((error as { code?: number }).code !== 404) throw error
    }
  }
}

test('an idle principal loses its connections and its session, and its held call is found after it initialised again', async () => {
  const { server, connections, calls } = rawServer(saying('paid'))
  const { url, store } = await served({ servers: { bank: server }, idleSeconds, wait: { holdSeconds: 0.01 } })
  const { client, said } = await payAt(url, 'ann')
  expect(said).toContain('Held')
  // The stream of the session is open, and does not keep the connections.
  await until(() => connections.every(({ isClosed }) => isClosed))
  await expect(callOf(client, 'pay', { cents: 1 })).rejects.toMatchObject({ code: 404 })
  const before = connections.length
  await approve(store, (await openRequests(store))[0]!)
  expect((await payAt(url, 'ann')).said).toBe('paid')
  expect([connections.length > before, calls().length]).toEqual([true, 1])
})

test('a call that a server runs keeps the connections of its principal, with and without a session', async () => {
  const { server, connections, calls } = rawServer(() => undefined)
  const { url } = await served({ servers: { bank: server }, policy: nobody, idleSeconds })
  for (const [index, call] of [
    () => payAt(url, 'ann').then(({ said }) => said),
    async () =>
      (await modernAt(url, 'ann'))
        .callTool({ name: 'pay', arguments: { cents: 2 } })
        .then((one) => JSON.stringify(one)),
  ].entries()) {
    const result = call()
    await until(() => calls().length === index + 1)
    const connection = connections.find(({ got }) => got.includes(calls()[index]!))!
    await pause(2 * idleSeconds * 1000)
    expect(connection.isClosed).toBe(false)
    connection.send({ id: calls()[index]!.id, result: text('paid') })
    expect(await result).toContain('paid')
    await until(() => connections.every(({ isClosed }) => isClosed))
  }
})

test('a call that waits for a person keeps the connections of its principal', async () => {
  const { server, connections } = rawServer(saying('paid'))
  const { url, store } = await served({ servers: { bank: server }, idleSeconds })
  const result = payAt(url, 'ann')
  const [request] = await asked(store)
  const connection = connections.at(-1)!
  await pause(2 * idleSeconds * 1000)
  expect(connection.isClosed).toBe(false)
  await approve(store, request!)
  expect((await result).said).toBe('paid')
  expect(connections.at(-1)).toBe(connection)
})

test('a client that is connected for good keeps the connections of its principal', async () => {
  const { server, connections } = rawServer(saying('paid'))
  const { proxy } = proxyOf({ servers: { bank: server }, policy: nobody, idleSeconds })
  const client = await clientOf(proxy)
  await pause(2 * idleSeconds * 1000)
  expect(textOf(await callOf(client, 'pay', { cents: 1 }))).toBe('paid')
  expect(connections).toHaveLength(1)
  await client.close()
  await until(() => connections[0]!.isClosed)
})

test('a principal over the limit is refused until another one is idle', async () => {
  const { server, connections, calls } = rawServer(() => undefined)
  const { url } = await served({ servers: { bank: server }, policy: nobody, idleSeconds, maxPrincipals: 1 })
  const result = payAt(url, 'ann')
  await until(() => calls().length === 1)
  const open = connections.at(-1)!
  const initialize = {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }
  const accept = 'application/json, text/event-stream'
  const bob = () =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: 'Bearer bob', 'content-type': 'application/json', accept },
      body: JSON.stringify(initialize),
    })
  const refused = await bob()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60'])
  expect(await refused.text()).toContain('already serves 1 principals, its limit (maxPrincipals)')
  await expect(modernAt(url, 'bob')).rejects.toThrow()
  expect(connections.at(-1)).toBe(open)
  open.send({ id: calls()[0]!.id, result: text('paid') })
  expect((await result).said).toBe('paid')
  await until(async () => {
    const { status, body } = await bob()
    await body?.cancel()
    return status === 200
  })
})

test.each([
  ['idleSeconds', 0],
  ['idleSeconds', Number.POSITIVE_INFINITY],
  ['idleSeconds', '5'],
  ['maxPrincipals', 0],
  ['maxPrincipals', 1.5],
])('%s: %s is refused', (name, value) => {
  const { server } = rawServer(saying('paid'))
  expect(() => proxyOf({ servers: { bank: server }, [name]: value })).toThrow(`${name} of createMcpProxy() must be`)
})

/** Longer than any test may take: what waits for it fails. */
const FOREVER = 3600

test.each(['initialize', 'tools/list'])(
  'close() does not wait for a server that never answers %s',
  async (silentAt) => {
    const bank = rawServer(saying('paid'), { silentAt })
    const server = { ...bank.server, connectTimeoutSeconds: FOREVER }
    const { proxy } = proxyOf({ servers: { bank: server } })
    const client = await rawClient(proxy)
    await client.send({ id: 1, method: 'tools/list' })
    await until(() => bank.got().some(({ method }) => method === silentAt))
    await proxy.close({ graceSeconds: FOREVER })
    expect(bank.connections.map(({ isClosed }) => isClosed)).toEqual([true])
  },
)

test('close() does not wait for calls that wait for a person, with and without a session, and then refuses callers', async () => {
  const { server } = rawServer(saying('paid'))
  const { url, proxy, store } = await served({ servers: { bank: server }, wait: { holdSeconds: FOREVER } })
  const modern = await modernAt(url, 'ann')
  const results = [
    payAt(url, 'bob').catch(() => 'gone'),
    modern.callTool({ name: 'pay', arguments: { cents: 1 } }, { timeout: FOREVER * 1000 }).catch(() => 'gone'),
  ]
  await asked(store, 2)
  await proxy.close({ graceSeconds: FOREVER })
  expect(await openRequests(store)).toHaveLength(2)
  const answer = await fetch(url, { method: 'POST', headers: { authorization: 'Bearer ann' }, body: '{}' })
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('The proxy is closed.')])
  await modern.close()
  void results
})

test('close() waits for a call that a server runs, and its result is kept', async () => {
  const bank = rawServer(() => undefined)
  const { proxy, store } = proxyOf({ servers: { bank: bank.server }, policy: nobody })
  const client = await rawClient(proxy)
  await client.call(1, 5)
  await until(() => bank.calls().length === 1)
  let isOver = false
  const closed = proxy.close({ graceSeconds: FOREVER }).then(() => {
    isOver = true
  })
  await pause(100)
  expect(isOver).toBe(false)
  bank.connections[0]!.send({ id: bank.calls()[0]!.id, result: text('paid') })
  await closed
  const later = proxyOf({ servers: { bank: bank.server }, policy: nobody, store })
  const again = await rawClient(later.proxy)
  await again.call(1, 5)
  expect(await again.answersTo(1)).toEqual(['paid'])
  expect(bank.calls()).toHaveLength(1)
})
