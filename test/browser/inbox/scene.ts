import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { createCode, signInLink } from '../../../src/gateway/sign-in/codes.ts'
import { createGateway, type GatewayOptions, type GatewayServer, jwtAuth, serve } from '../../../src/gateway.ts'
import type { Store } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { SECRET } from '../../support/gateway/served-gateway.ts'
import { sharedChromium } from '../chromium.ts'
import { Seat } from './seat.ts'

/** Somebody who signs in. */
export interface Person {
  sub?: string
  roles?: string[]
  groups?: string[]
}

/** A gateway with the inbox, on a store on disk. It can be stopped, and started again at the same port. */
export class InboxServer {
  readonly store: Store
  /** The file of the store. */
  readonly path: string
  readonly #options: Partial<GatewayOptions>
  readonly #folder = mkdtempSync(join(tmpdir(), 'holdpoint-inbox-'))
  #server: GatewayServer | undefined
  #url = ''

  constructor(options: Partial<GatewayOptions>) {
    this.#options = options
    this.path = join(this.#folder, 'store.db')
    this.store = sqliteStore({ path: this.path })
  }

  get url(): string {
    return this.#url
  }

  async start(): Promise<void> {
    const auth = jwtAuth({ secret: SECRET, issuer: 'tests', audience: 'gateway' })
    // A minute to undo: a busy machine takes seconds between two clicks.
    const gateway = createGateway({ auth, store: this.store, inbox: true, undoSeconds: 60, ...this.#options })
    const port = this.#url === '' ? 0 : Number(new URL(this.#url).port)
    this.#server = await serve(gateway, { port, graceSeconds: 0.2 })
    this.#url = this.#server.url
  }

  async stop(): Promise<void> {
    await this.#server?.close()
    this.#server = undefined
  }

  async close(): Promise<void> {
    await this.stop()
    await this.store.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** An address that signs somebody in, once. */
  async link({ sub = 'ann', roles = ['reviewer'], groups = [] }: Person = {}): Promise<string> {
    return signInLink(this.#url, await createCode(this.store, { sub, roles, groups, tenant: 'default' }))
  }
}

/** What the tests of one file share: a browser, and all that is closed with it. */
export interface InboxScene {
  serve(options?: Partial<GatewayOptions>): Promise<InboxServer>
  /** A window of its own, with cookies of its own. */
  window(url: string, options?: BrowserContextOptions): Promise<Seat>
  /** A window in which somebody is signed in. */
  seat(server: InboxServer, person?: Person, options?: BrowserContextOptions): Promise<Seat>
}

/** A browser for a file of tests, and servers that are gone after it. */
export function useInbox(): InboxScene {
  let browser: Browser
  const servers: InboxServer[] = []
  const contexts: BrowserContext[] = []
  beforeAll(async () => {
    browser = await sharedChromium()
  })
  afterAll(async () => {
    await Promise.all(contexts.map((context) => context.close()))
    await Promise.all(servers.map((server) => server.close()))
  })
  const scene: InboxScene = {
    async serve(options = {}) {
      const server = new InboxServer(options)
      servers.push(server)
      await server.start()
      return server
    },
    async window(url, options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
        reducedMotion: 'reduce',
        ...options,
      })
      contexts.push(context)
      context.setDefaultTimeout(60_000)
      return Seat.in(context, url)
    },
    async seat(server, person, options) {
      const seat = await scene.window(server.url, options)
      await seat.page.goto(await server.link(person))
      await seat.page.getByRole('banner').waitFor()
      return seat
    },
  }
  return scene
}
