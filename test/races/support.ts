import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { type Clock, systemClock } from '../../src/ports/clock.ts'
import type { Store } from '../../src/ports/store.ts'
import type { Entry, EntryOf } from '../../src/protocol/entry.ts'
import { parseBody } from '../../src/protocol/versions.ts'
import { Agent } from '../../src/runtime/agent/agent.ts'
import { tool } from '../../src/runtime/definition/tool.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { postgresStore } from '../../src/store/postgres/store.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'
import { freshSchema, usePostgres } from '../store/postgres-harness.ts'

/** Makes stores over the same data: as many as a test has processes in mind. */
export type OpenStore = () => Store

const server = usePostgres()

/** Where the same race is run: in memory (one object for all), in one file or one schema that each contender opens for itself. */
export const places: [string, (clock?: Clock) => OpenStore][] = [
  [
    'in memory',
    (clock = systemClock) => {
      const store = memoryStore({ clock })
      return () => store
    },
  ],
  [
    'in one SQLite file',
    (clock = systemClock) => {
      const dir = mkdtempSync(join(tmpdir(), 'holdpoint-races-'))
      const opened: Store[] = []
      onTestFinished(async () => {
        await Promise.all(opened.map((store) => store.close()))
        rmSync(dir, { recursive: true, force: true })
      })
      return () => {
        const store = sqliteStore({ path: join(dir, 'store.db'), durability: 'process', clock })
        opened.push(store)
        return store
      }
    },
  ],
  [
    'in one Postgres schema',
    (clock) => {
      const schema = freshSchema()
      const pool = new pg.Pool({ connectionString: server.get().connectionString, max: 20 })
      pool.on('error', () => undefined)
      const opened: Store[] = []
      onTestFinished(async () => {
        await Promise.all(opened.map((store) => store.close()))
        await pool.end()
      })
      return () => {
        const store = postgresStore({ pool, schema, ...(clock && { clock }) })
        opened.push(store)
        return store
      }
    },
  ],
]

/** A promise that is fulfilled from outside. */
export interface Gate {
  readonly passed: Promise<void>
  open(): void
}

/** A closed gate. */
export function gate(): Gate {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

/** An agent whose model asks for a gated `refund` and a free `lookup`, then says how many results it read. */
export interface Cashier {
  agent: Agent
  /** What ran: tool and idempotency key, one for each time. */
  ran: { tool: string; key: string }[]
}

/** Makes one that asks for as many refunds. `lookup` and `model` are waited for where they say. */
export function cashier(waits: { lookup?: Promise<void>; model?: Promise<void>; refunds?: number } = {}): Cashier {
  const ran: Cashier['ran'] = []
  const agent = new Agent({
    id: 'cashier',
    name: 'Cashier',
    model: {
      async respond({ messages }) {
        const own = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
        const results = own.filter(({ role }) => role === 'tool').length
        if (results > 0) return { content: `done after ${results} results` }
        await waits.model
        const said = messages.findLast(({ role }) => role === 'user')?.content
        if (said === 'just talk') return { content: 'well' }
        return {
          toolCalls: [
            ...Array.from({ length: waits.refunds ?? 1 }, (_, index) => ({
              id: `c-refund-${index}`,
              name: 'refund',
              args: { amount: 40 + index },
            })),
            { id: 'c-lookup', name: 'lookup', args: {} },
          ],
        }
      },
    },
    tools: [
      tool({
        name: 'refund',
        description: 'Pays money back.',
        parameters: z.object({ amount: z.number() }),
        needsApproval: true,
        execute(_, ctx) {
          ran.push({ tool: 'refund', key: ctx.idempotencyKey })
          return 'refunded'
        },
      }),
      tool({
        name: 'lookup',
        description: 'Reads.',
        parameters: z.object({}),
        async execute(_, ctx) {
          ran.push({ tool: 'lookup', key: ctx.idempotencyKey })
          await waits.lookup
          return 'found'
        },
      }),
    ],
  })
  return { agent, ran }
}

/** A thread's journal. */
export async function journalOf(store: Store, threadId: string): Promise<Entry[]> {
  const { entries } = await store.read(threadId)
  return entries.map(({ body, seq }) => parseBody(body, { threadId, seq }))
}

/** The entries of one type. */
export function of<T extends Entry['type']>(entries: readonly Entry[], type: T): EntryOf<T>[] {
  return entries.filter((entry): entry is EntryOf<T> => entry.type === type)
}

/** A store whose appends wait for something first: a process that is slow at just the wrong time. */
export function slowed(store: Store, until: Promise<unknown>): Store {
  return {
    tenantId: store.tenantId,
    async append(append) {
      await until
      return store.append(append)
    },
    read: (threadId, options) => store.read(threadId, options),
    readChain: (threadId) => store.readChain(threadId),
    readHead: (threadId) => store.readHead(threadId),
    getRequest: (id) => store.getRequest(id),
    findRequests: (query) => store.findRequests(query),
    due: (query) => store.due(query),
    threads: (query) => store.threads(query),
    findGrants: (query) => store.findGrants(query),
    renewLease: (threadId, lease) => store.renewLease(threadId, lease),
    changed: (threadId, options) => store.changed(threadId, options),
    tenant: (id) => slowed(store.tenant(id), until),
    close: () => store.close(),
  }
}
