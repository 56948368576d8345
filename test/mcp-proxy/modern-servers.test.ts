import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test } from 'vitest'
import { modernServer } from './modern-server.js'
import { modernAt, served } from './over-http.ts'
import { approve, asked, callOf, clientOf, held, proxyOf, textOf } from './proxies.ts'

const PROGRAM = fileURLToPath(new URL('modern-program.js', import.meta.url))

/** A server of the SDK's second line, over HTTP. `reject`: it speaks 2026-07-28 alone. */
async function modern(legacy: 'reject' | 'stateless'): Promise<{ url: string; paid: number[] }> {
  const paid: number[] = []
  const handler = createMcpHandler(() => modernServer((cents) => paid.push(cents)), { legacy })
  const server = createServer(getRequestListener((request) => handler.fetch(request)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, paid }
}

test.each([
  ['2025-11-25', 'stateless'],
  ['2026-07-28', 'reject'],
] as const)(
  'a server of the SDK 2 is spoken to in %s over HTTP, and runs an approved call once',
  async (protocol, legacy) => {
    const { url, paid } = await modern(legacy)
    const { proxy, store } = proxyOf({ servers: { bank: { url, protocol } } })
    const client = await clientOf(proxy)
    expect((await client.listTools()).tools).toMatchObject([
      { name: 'pay', inputSchema: { required: ['cents'] }, outputSchema: { required: ['paid'] } },
      { name: 'refuse' },
    ])
    expect(client.getInstructions()).toBe('Pay with care.')
    const call = callOf(client, 'pay', { cents: 5 })
    const [request] = await asked(store)
    expect(paid).toEqual([])
    await approve(store, request!)
    expect(await call).toMatchObject({ content: [{ type: 'text', text: 'paid 5' }], structuredContent: { paid: 5 } })
    expect(paid).toEqual([5])
  },
)

test('a client of the SDK 2 reaches a server of the SDK 2, both in 2026-07-28', async () => {
  const { url: behind, paid } = await modern('reject')
  const { url, store } = await served({ servers: { bank: { url: behind, protocol: '2026-07-28' } } })
  const client = await modernAt(url, 'ann')
  const call = client.callTool({ name: 'pay', arguments: { cents: 7 } }, { timeout: 120_000 })
  await approve(store, (await asked(store))[0]!)
  expect((await call).structuredContent).toEqual({ paid: 7 })
  expect(paid).toEqual([7])
})

test('an error of a tool and wrong arguments come back as the server told them', async () => {
  const { url, paid } = await modern('reject')
  const { proxy } = proxyOf({ servers: { bank: { url, protocol: '2026-07-28' } }, policy: held('none') })
  const client = await clientOf(proxy)
  const failed = await callOf(client, 'refuse', {})
  expect([failed.isError, textOf(failed)]).toEqual([true, expect.stringContaining('no funds')])
  const wrong = await callOf(client, 'pay', { cents: 'all' }).catch((error: unknown) => String(error))
  expect(JSON.stringify(wrong)).toContain('cents')
  expect(paid).toEqual([])
})

test('a server of the SDK 2 that is a program is spoken to in 2026-07-28', async () => {
  const bank = { command: process.execPath, args: [PROGRAM], protocol: '2026-07-28' } as const
  const { proxy } = proxyOf({ servers: { bank }, policy: held('none') })
  const client = await clientOf(proxy)
  expect(textOf(await callOf(client, 'pay', { cents: 5 }))).toBe('paid 5')
})
