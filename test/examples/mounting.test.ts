import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createClient, requestOf } from '../../src/client.ts'
import type { JsonObject } from '../../src/index.ts'
import type { Store, Streams } from '../../src/ports.ts'
import { postgresStore } from '../../src/postgres.ts'
import { redisStreams } from '../../src/redis.ts'
import { application, refundOnce, refundTool } from '../support/agents/remote-application.ts'
import { tokenOf } from '../support/gateway/served-gateway.ts'
import { type Built, buildSnippets } from './build-snippets.ts'
import { startSnippet } from './run-snippets.ts'
import { type Services, startServices } from './services.ts'
import { snippetsOf } from './snippets.ts'

const PAGE = 'docs/guides/mounting.md'
const snippets = snippetsOf(PAGE)

/** How a client reaches a gateway that is mounted somewhere. */
interface Mounted {
  url: string
  fetch?: typeof fetch
  end?: () => Promise<void>
}

describe('a gateway mounted as its page says', () => {
  let built: Built
  let services: Services
  let store: Store
  let streams: Streams

  beforeAll(async () => {
    built = buildSnippets(snippets)
    services = await startServices(snippets)
    store = postgresStore({ connectionString: services.env.DATABASE_URL ?? '' })
    streams = redisStreams({ url: services.env.REDIS_URL ?? '' })
  })
  afterAll(async () => {
    const routed = await snippet('gateway.js')
    for (const each of [store, routed.store]) await each.close()
    for (const each of [streams, routed.streams]) await each.shutdown()
    await services.stop()
    built.remove()
  })

  const snippet = (file: string) => import(pathToFileURL(join(built.folderOf(PAGE), file)).href)

  async function started(file: string): Promise<Mounted> {
    const server = startSnippet({ file }, { folder: built.folderOf(PAGE), env: services.env })
    const end = async () => {
      await server.end()
      expect(server.outcome).toMatchObject({ stderr: '' })
    }
    const address = await server.settled
    if (address === undefined) throw new Error(`${file} ended:\n${server.outcome.stdout}${server.outcome.stderr}`)
    return { url: address.replace('/readyz', ''), end }
  }

  /** The handlers that Next.js would call, called as it would: with a web request. */
  async function routed(): Promise<Mounted> {
    for (const [name, value] of Object.entries(services.env)) vi.stubEnv(name, value)
    const route = await snippet('route.js')
    return {
      url: 'http://localhost:3000/people',
      fetch: async (input, init) => {
        const request = new Request(input, init)
        return route[request.method](request)
      },
    }
  }

  const servers = ['with-express.ts', 'with-fastify.ts', 'with-hono.ts', 'around.ts']
  const places: [string, () => Promise<Mounted>][] = [
    ...servers.map((file): [string, () => Promise<Mounted>] => [file, () => started(file)]),
    ['route.ts', routed],
  ]

  describe.each(places)('%s', (_name, mount) => {
    let mounted: Mounted
    beforeAll(async () => {
      mounted = await mount()
    })
    afterAll(() => mounted.end?.())

    it('lets a person decide over events and by polling', async () => {
      const { url, fetch } = mounted
      const token = () => tokenOf('ann', { iss: 'holdpoint', aud: 'holdpoint' })
      for (const transport of ['sse', 'poll'] as const) {
        const done: JsonObject[] = []
        const app = await application(refundOnce, [refundTool(done)], { store, streams })
        const client = createClient({ url, token, transport, ...(fetch && { fetch }) })
        const running = app.open().thread.prompt('Please refund order 42.')
        for await (const message of client.messages(app.session)) {
          if (message.kind !== 'interrupt' || !requestOf(message)) continue
          const decision = { type: 'edit', args: { cents: 400 } }
          expect(await client.respond(app.session, message.id, { decision })).toBe('answered')
          expect(await running).toMatchObject({ status: 'completed' })
          await streams.close(app.session)
        }
        expect(done).toEqual([{ cents: 400 }])
      }
    })

    it('serves the inbox below its path, with all that the page loads', async () => {
      const { url, fetch = globalThis.fetch } = mounted
      const moved = await fetch(url, { redirect: 'manual' })
      expect([moved.status, moved.headers.get('location')]).toEqual([308, '/people/'])
      const page = await fetch(`${url}/`)
      expect(page.status).toBe(200)
      const loads = [...(await page.text()).matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path]) => path)
      expect(loads.length).toBeGreaterThan(2)
      for (const path of loads) expect((await fetch(`${url}/${path}`)).status).toBe(200)
      expect((await fetch(`${url}/v1/me`)).status).toBe(401)
    })

    it('refuses what is malformed and who is nobody', async () => {
      const { url, fetch = globalThis.fetch } = mounted
      const authorization = `Bearer ${await tokenOf('ann', { iss: 'holdpoint', aud: 'holdpoint' })}`
      const post = (headers: Record<string, string>) =>
        fetch(`${url}/hil/poll`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: '{',
        })
      expect((await post({ authorization })).status).toBe(400)
      expect((await post({})).status).toBe(401)
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
    })
  })
})
