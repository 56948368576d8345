// @ts-check
import { createServer } from 'node:http'
import { z } from 'zod'
import { loadGateway, loadHoldpoint, loadTesting } from '../subject/dist.js'
import { collectedMemory } from './collected-memory.js'
import { signIn } from './sign-in.js'

/**
 * A server with live event streams: the gateway on an SQLite file, where each screen has a sign-in of its own, or (`bare`) a handler of `node:http` that
 * writes the same bytes to every connection. It tells its port and the cookies, and then, whenever it is asked, its memory, or when it opened a request.
 */
const [, , kind = '', path = '', count = '0'] = process.argv
const { port, cookies, ask, close } = kind === 'bare' ? await bare() : await gateway()

process.on('message', async (/** @type {{ what: string }} */ { what }) => {
  if (what === 'memory') process.send?.({ memory: await collectedMemory() })
  else process.send?.({ asked: await ask() })
})
process.on('disconnect', async () => {
  await close()
  process.exit()
})
process.send?.({ ready: { port, cookies } })

async function gateway() {
  const { Agent, definePolicy, run, sqliteStore, tool } = await loadHoldpoint()
  const { createGateway, serve } = await loadGateway()
  const { scriptedModel } = await loadTesting()
  const store = sqliteStore({ path, durability: 'process' })
  const auth = { authenticate: async () => /** @type {const} */ ({ ok: false, detail: 'Sign in.' }) }
  const server = await serve(createGateway({ store, auth, webhooks: false }))
  const people = []
  for (let n = 0; n < Number(count); n++) people.push(await signIn(store, `person-${n}`))
  let began = 0n
  /** Notes when the request is written. @type {typeof store} */
  const noted = Object.assign(Object.create(store), {
    append(/** @type {Parameters<typeof store.append>[0]} */ append) {
      if (append.requests?.some(({ op }) => op === 'open')) began = process.hrtime.bigint()
      return store.append(append)
    },
  })
  const refund = tool({ name: 'refund', description: 'Pays back.', parameters: z.object({}), execute: () => '' })
  return {
    port: server.port,
    cookies: people.map((pair) => `holdpoint_${server.port}=${pair}`),
    async ask() {
      const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'refund', args: {} }] }, 'Done.'])
      const policy = definePolicy(() => ({ verdict: 'review' }), { name: 'all' })
      const { interruptions } = await run(new Agent({ name: 'clerk', model, tools: [refund], policy }), 'go', {
        store: noted,
      })
      return { id: interruptions[0]?.id ?? '', at: String(began) }
    },
    async close() {
      await server.close()
      await store.close()
    },
  }
}

async function bare() {
  /** @type {Set<import('node:http').ServerResponse>} */
  const open = new Set()
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': open\n\nid: 0\n\n')
    open.add(response)
    response.on('close', () => open.delete(response))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  let asked = 0
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cookies: Array.from({ length: Number(count) }, (_, n) => `x=${n}`),
    async ask() {
      const id = `0190aaaa-bbbb-7000-8000-${String(++asked).padStart(12, '0')}`
      const event = { type: 'request', what: 'opened', id, version: 1 }
      const text = `id: ${'x'.repeat(91)}\nevent: message\ndata: ${JSON.stringify(event)}\n\n`
      const at = process.hrtime.bigint()
      for (const response of open) response.write(text)
      return { id, at: String(at) }
    },
    close: async () => server.closeAllConnections(),
  }
}
