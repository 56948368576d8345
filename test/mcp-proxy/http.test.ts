import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { definePolicy } from '../../src/index.ts'
import { until } from '../support/until.ts'
import { legacyAt, modernAt, served } from './over-http.ts'
import {
  approve,
  asked,
  callOf,
  everything,
  everythingProgram,
  held,
  openRequests,
  proxyOf,
  textOf,
} from './proxies.ts'

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('anonymous callers, unknown origins and sessions of others are refused', async () => {
  const { url } = await served()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const post = (headers: Record<string, string>) => fetch(url, { method: 'POST', headers, body })
  expect((await post({})).status).toBe(401)
  expect((await post({ authorization: 'Bearer' })).status).toBe(401)
  expect((await post({ authorization: 'Bearer ann', origin: 'https://evil.test' })).status).toBe(403)
  const client = await legacyAt(url, 'ann')
  const id = (client.transport as unknown as { sessionId: string }).sessionId
  expect((await post({ authorization: 'Bearer bob', 'mcp-session-id': id })).status).toBe(404)
})

test('a proxy without auth serves no HTTP', async () => {
  const { proxy } = proxyOf({ servers: { all: everything } })
  await expect(proxy.listen({ port: 0 })).rejects.toThrow('anonymous callers are refused')
  await expect(proxy.fetch(new Request('http://localhost/mcp'))).rejects.toThrow('anonymous callers are refused')
})

test('a held call over HTTP runs after approval, and equal calls attach only within one subject', async () => {
  const { url, store } = await served({ wait: { holdSeconds: 0.05 } })
  const [ann, bob] = [await legacyAt(url, 'ann'), await legacyAt(url, 'bob')]
  expect(textOf(await callOf(ann, 'echo', { message: 'hi' }))).toContain('Held')
  await approve(store, (await asked(store))[0]!)
  expect(textOf(await callOf(bob, 'echo', { message: 'hi' }))).toContain('Held')
  const again = await legacyAt(url, 'ann')
  expect(textOf(await callOf(again, 'echo', { message: 'hi' }))).toBe('Echo: hi')
})

test('a server behind the proxy is reached over streamable HTTP', async () => {
  const port = await freePort()
  const [program, ...args] = [everythingProgram.command, everythingProgram.args[0], 'streamableHttp']
  const child = spawn(program, args, { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const at = `http://127.0.0.1:${port}/mcp`
  await until(() =>
    fetch(at).then(
      () => true,
      () => false,
    ),
  )
  const { url } = await served({ servers: { remote: { url: at } }, policy: held('none') })
  const client = await legacyAt(url, 'ann')
  expect(textOf(await callOf(client, 'echo', { message: 'far' }))).toBe('Echo: far')
})

test('a client of 2026-07-28 lists tools, waits for a person and gets the result', async () => {
  const { url, store } = await served()
  const client = await modernAt(url, 'ann')
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo')
  const call = client.callTool({ name: 'echo', arguments: { message: 'hi' } }, { timeout: 120_000 })
  await approve(store, (await asked(store))[0]!)
  expect((await call).content).toEqual([{ type: 'text', text: 'Echo: hi' }])
})

test('a client of 2026-07-28 that gave up finds the decision when it asks again', async () => {
  const { url, store, signals } = await served()
  const client = await modernAt(url, 'ann')
  const patience = new AbortController()
  const first = client
    .callTool({ name: 'echo', arguments: { message: 'hi' } }, { timeout: 120_000, signal: patience.signal })
    .catch(() => undefined)
  const [request] = await asked(store)
  await until(() => signals.length === 1)
  patience.abort()
  await first
  await until(() => signals[0]!.aborted)
  await approve(store, request!)
  const again = await modernAt(url, 'ann')
  const result = await again.callTool({ name: 'echo', arguments: { message: 'hi' } }, { timeout: 120_000 })
  expect(result.content).toEqual([{ type: 'text', text: 'Echo: hi' }])
  expect(await openRequests(store)).toEqual([])
})

test('a client of 2026-07-28 is asked by its result and repeats the call with the answer', async () => {
  const policy = definePolicy(() => ({ verdict: 'review', risk: 'low' }), { name: 'test', version: '1' })
  const { url } = await served({ policy, wait: { holdSeconds: 60, elicitation: true } })
  let questions = 0
  const client = await modernAt(url, 'ann', () => {
    questions += 1
    return { action: 'accept', content: { decision: 'approve' } }
  })
  const result = await client.callTool({ name: 'echo', arguments: { message: 'hi' } }, { timeout: 120_000 })
  expect([result.content, questions]).toEqual([[{ type: 'text', text: 'Echo: hi' }], 1])
})

test('a modern request whose headers say something else than its body is refused', async () => {
  const { url } = await served()
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: 'echo', arguments: { message: 'x' }, _meta: meta }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const headers = {
    authorization: 'Bearer ann',
    'content-type': 'application/json',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'get-env',
  }
  const answer = await fetch(url, { method: 'POST', headers, body })
  expect([answer.status, ((await answer.json()) as { error: { code: number } }).error.code]).toEqual([400, -32020])
})
