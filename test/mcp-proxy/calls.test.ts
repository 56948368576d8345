import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { expect, test } from 'vitest'
import { openDesk } from '../../src/index.ts'
import { until } from '../support/until.ts'
import {
  ann,
  approve,
  asked,
  callOf,
  changing,
  clientOf,
  everything,
  filesystem,
  held,
  openRequests,
  proxyOf,
  tempDir,
  textOf,
} from './proxies.ts'

test('tools pass through unchanged, and a call that needs nobody is forwarded', async () => {
  const { proxy, store } = proxyOf({ servers: { all: everything }, policy: held('all.none') })
  const client = await clientOf(proxy)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('echo')
  expect(tools.find(({ name }) => name === 'get-structured-content')).toHaveProperty('outputSchema')
  expect(textOf(await callOf(client, 'echo', { message: 'hi' }))).toBe('Echo: hi')
  const image = await callOf(client, 'get-tiny-image', {})
  expect(image.content.map(({ type }) => type)).toContain('image')
  expect(
    (await client.callTool({ name: 'get-structured-content', arguments: { location: 'Chicago' } })).structuredContent,
  ).toBeDefined()
  expect(await openRequests(store)).toEqual([])
})

test('prompts and resources pass through', async () => {
  const { proxy } = proxyOf({ servers: { all: everything } })
  const client = await clientOf(proxy)
  const { prompts } = await client.listPrompts()
  expect(prompts.length).toBeGreaterThan(0)
  const { resources } = await client.listResources()
  expect(resources.length).toBeGreaterThan(0)
  expect((await client.readResource({ uri: resources[0]!.uri })).contents.length).toBeGreaterThan(0)
  expect((await client.getPrompt({ name: prompts[0]!.name, arguments: {} })).messages.length).toBeGreaterThan(0)
})

test('of several servers, a prompt is found by the name that was shown, whatever its own', async () => {
  const transport = async (): Promise<Transport> => {
    const server = new McpServer({ name: 'desk', version: '1' })
    server.registerTool('ping', {}, () => ({ content: [] }))
    for (const name of ['a.b c', `long ${'x'.repeat(80)}`])
      server.registerPrompt(name, {}, () => ({
        messages: [{ role: 'user', content: { type: 'text', text: name } }],
      }))
    const [near, far] = InMemoryTransport.createLinkedPair()
    await server.connect(far)
    return near
  }
  const { proxy } = proxyOf({ servers: { all: everything, desk: { transport } } })
  const client = await clientOf(proxy)
  const shown = (await client.listPrompts()).prompts.map(({ name }) => name)
  const [odd, long] = shown.filter((name) => name.startsWith('desk__'))
  for (const [name, own] of [
    [odd!, 'a.b c'],
    [long!, `long ${'x'.repeat(80)}`],
  ] as const)
    expect((await client.getPrompt({ name })).messages).toMatchObject([{ content: { text: own } }])
  expect((await client.getPrompt({ name: shown.find((name) => name.startsWith('all__'))! })).messages).not.toEqual([])
  for (const name of ['desk__none', 'none'])
    await expect(client.getPrompt({ name })).rejects.toThrow(`There is no prompt ${name}`)
})

test('a held call runs after a person has approved it, once', async () => {
  const folder = tempDir()
  const file = join(folder, 'a.txt')
  const { proxy, store } = proxyOf({ servers: { files: filesystem(folder) } })
  const client = await clientOf(proxy)
  const call = callOf(client, 'write_file', { path: file, content: 'hello' })
  const [request] = await asked(store)
  expect(request).toMatchObject({ toolName: 'files.write_file', args: { path: file, content: 'hello' } })
  expect(existsSync(file)).toBe(false)
  await approve(store, request!)
  expect((await call).isError).toBeUndefined()
  expect(readFileSync(file, 'utf8')).toBe('hello')
})

test('an edit runs as edited, and a rejection is told to the model', async () => {
  const { servers, calls } = changing()
  const { proxy, store } = proxyOf({ servers })
  const client = await clientOf(proxy)
  const edited = callOf(client, 'pay', { cents: 1 })
  const [first] = await asked(store)
  await openDesk({ store }).decide({ request: first!, decision: { type: 'edit', args: { cents: 2 } }, by: ann })
  expect(textOf(await edited)).toBe('paid 2')
  const rejected = callOf(client, 'pay', { cents: 3 })
  const [second] = await asked(store)
  await openDesk({ store }).decide({ request: second!, decision: { type: 'reject', message: 'not there' }, by: ann })
  const result = await rejected
  expect(result.isError).toBe(true)
  expect(textOf(result)).toContain('not there')
  expect(calls()).toMatchObject([{ name: 'pay', arguments: { cents: 2 } }])
})

test('a client that gave up loses nothing: asking again finds the decision and runs the call once', async () => {
  const { servers, calls } = changing()
  const { proxy, store, signals } = proxyOf({ servers })
  const client = await clientOf(proxy)
  const patience = new AbortController()
  const first = callOf(client, 'pay', { cents: 1 }, patience.signal).catch((error: unknown) => error)
  const [request] = await asked(store)
  await until(() => signals.length === 1)
  patience.abort()
  await first
  await until(() => signals[0]!.aborted)
  await approve(store, request!)
  expect(calls()).toEqual([])
  expect(textOf(await callOf(client, 'pay', { cents: 1 }))).toBe('paid 1')
  expect(calls()).toHaveLength(1)
  expect(await openRequests(store)).toEqual([])
})

test('a client that gave up while its call ran gets the result when it asks again, and the call ran once', async () => {
  const { folder, servers, calls } = changing()
  const { proxy, signals } = proxyOf({ servers, policy: held('none') })
  const client = await clientOf(proxy)
  const args = { cents: 5, until: join(folder, 'go') }
  const patience = new AbortController()
  const first = callOf(client, 'pay', args, patience.signal).catch((error: unknown) => error)
  await until(() => calls().length === 1)
  patience.abort()
  await first
  await until(() => signals[0]!.aborted)
  const again = callOf(client, 'pay', args)
  writeFileSync(args.until, '')
  expect(textOf(await again)).toBe('paid 5')
  expect(calls()).toHaveLength(1)
})

test('when the hold is over, the client is told to call again, and the request stays open', async () => {
  const { proxy, store } = proxyOf({
    servers: { all: everything },
    wait: { holdSeconds: 0.05, inboxUrl: 'https://inbox.test/' },
  })
  const client = await clientOf(proxy)
  const result = await callOf(client, 'echo', { message: 'hi' })
  const [request] = await asked(store)
  expect(result.isError).toBe(true)
  expect(textOf(result)).toMatch(/Held for approval .* Call echo again with the same arguments/)
  expect(result.structuredContent).toEqual({
    holdpoint: { status: 'held', requestId: request!.id, url: 'https://inbox.test/' },
  })
  await approve(store, request!)
  expect(textOf(await callOf(client, 'echo', { message: 'hi' }))).toBe('Echo: hi')
})

test('a result after delivery is not given to a later equal call, which is a new request that shows the earlier one', async () => {
  const { proxy, store } = proxyOf({ servers: { all: everything } })
  const client = await clientOf(proxy)
  const first = callOf(client, 'echo', { message: 'hi' })
  await approve(store, (await asked(store))[0]!)
  await first
  const second = callOf(client, 'echo', { message: 'hi' })
  const [again] = await asked(store)
  expect(again!.details).toHaveProperty('earlier')
  await approve(store, again!)
  expect(textOf(await second)).toBe('Echo: hi')
})

test('two equal calls at the same time are two requests, whichever is decided first', async () => {
  const { proxy, store } = proxyOf({ servers: { all: everything } })
  const client = await clientOf(proxy)
  const results: string[] = []
  const both = [1, 2].map(async () => results.push(textOf(await callOf(client, 'echo', { message: 'pay' }))))
  const [first, second] = await asked(store, 2)
  await approve(store, second!)
  await until(() => results.length === 1)
  expect((await openRequests(store)).map(({ id }) => id)).toEqual([first!.id])
  await approve(store, first!)
  await Promise.all(both)
  expect(results).toEqual(['Echo: pay', 'Echo: pay'])
})

test('equal calls of different principals never meet', async () => {
  const { proxy, store } = proxyOf({ servers: { all: everything }, wait: { holdSeconds: 0.05 } })
  const [a, b] = [await clientOf(proxy, { principal: 'a' }), await clientOf(proxy, { principal: 'b' })]
  await callOf(a, 'echo', { message: 'hi' })
  await approve(store, (await asked(store))[0]!)
  expect(textOf(await callOf(b, 'echo', { message: 'hi' }))).toContain('Held for approval')
  expect(textOf(await callOf(a, 'echo', { message: 'hi' }))).toBe('Echo: hi')
})

test('a waiting client that asked for progress gets some, and it only grows', async () => {
  const { proxy, store } = proxyOf({ servers: { all: everything }, wait: { holdSeconds: 60, progressSeconds: 0.02 } })
  const client = await clientOf(proxy)
  const seen: { progress: number; message?: string | undefined }[] = []
  const call = client.callTool(
    { name: 'trigger-long-running-operation', arguments: { duration: 0.1, steps: 2 } },
    undefined,
    {
      timeout: 120_000,
      onprogress: (progress) => seen.push(progress),
    },
  )
  const [request] = await asked(store)
  await until(() => seen.length >= 3)
  await approve(store, request!)
  await call
  expect(seen[0]?.message).toContain(`waiting for approval (request ${request!.id})`)
  const values = seen.map(({ progress }) => progress)
  expect(values).toEqual([...new Set(values)].sort((x, y) => x - y))
})

test('several servers share one list: names are prefixed, and policies say server.tool', async () => {
  const { servers, calls } = changing()
  const { proxy, store } = proxyOf({ servers: { all: everything, ...servers }, policy: held('bank.*') })
  const client = await clientOf(proxy)
  const names = (await client.listTools()).tools.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['all__echo', 'bank__pay']))
  expect(textOf(await callOf(client, 'all__echo', { message: 'hi' }))).toBe('Echo: hi')
  const pay = callOf(client, 'bank__pay', { cents: 5 })
  await approve(store, (await asked(store))[0]!)
  expect(textOf(await pay)).toBe('paid 5')
  expect(calls()).toMatchObject([{ name: 'pay' }])
})

test('a method that is not known here is not forwarded', async () => {
  const { proxy } = proxyOf({ servers: { all: everything } })
  const client = await clientOf(proxy)
  await expect(client.request({ method: 'vendor/run', params: {} } as never, {} as never)).rejects.toThrow(
    'does not forward',
  )
})
