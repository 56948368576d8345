import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { memorySession, memoryStore, RunState, run, type Session, type Store, storeSession } from '../../src/index.ts'
import { InputInvalid, SessionFailed, type SessionItem } from '../../src/ports.ts'
import { ThreadIdInvalid } from '../../src/protocol/errors/errors.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { freshSchema, usePostgres } from '../support/servers/use-postgres.ts'
import { inFolder } from '../support/stores/places.ts'
import { unsyncedPostgres } from '../support/stores/unsynced-postgres.ts'
import { assertSound, brief } from './history.ts'

const server = usePostgres()

/** Gives the work a way to open the same place again and again, as other processes would. */
type Place = (work: (open: () => Store) => Promise<void>) => Promise<void>

async function closing(open: () => Store, work: (open: () => Store) => Promise<void>): Promise<void> {
  const opened: Store[] = []
  try {
    await work(() => {
      opened.push(open())
      return opened.at(-1)!
    })
  } finally {
    for (const store of opened) await store.close()
  }
}

const places: [string, Place][] = [
  [
    'memory',
    (work) => {
      const store = memoryStore()
      return work(() => store)
    },
  ],
  [
    'SQLite',
    (work) =>
      inFolder('sessions', (folder) =>
        closing(() => sqliteStore({ path: join(folder, 'store.db'), durability: 'process' }), work),
      ),
  ],
  [
    'Postgres',
    (work) => {
      const schema = freshSchema()
      return closing(() => unsyncedPostgres({ connectionString: server.get().connectionString, schema }), work)
    },
  ],
]

const said = (content: string, id?: string): SessionItem => ({ role: 'user', content, ...(id ? { id } : {}) })

describe.each(places)('a session in %s', (_name, at) => {
  it('is the same for everybody who opens it', () =>
    at(async (open) => {
      const [one, two] = [open(), open()].map((store) => storeSession({ store, sessionId: 'ann' })) as [
        Session,
        Session,
      ]
      expect(await one.getSessionId()).toBe('ann')
      expect(await two.getItems()).toEqual([])
      await one.addItems([said('a', '1'), said('b')])
      await two.addItems([said('c', '3')])
      expect(brief(await one.getItems())).toEqual(['user: a', 'user: b', 'user: c'])
      expect(brief(await one.getItems(2))).toEqual(['user: b', 'user: c'])
      expect(brief(await one.getItems(20))).toHaveLength(3)
      await two.addItems([said('again', '3'), said('b'), said('d', '4'), said('d', '4')])
      expect(brief(await one.getItems())).toEqual(['user: a', 'user: b', 'user: c', 'user: b', 'user: d'])
      expect(await one.popItem()).toEqual(said('d', '4'))
      expect(await two.popItem()).toEqual(said('b'))
      await one.clearSession()
      expect(await two.getItems()).toEqual([])
      expect(await two.popItem()).toBeUndefined()
      await two.addItems([said('new', '1')])
      expect(await one.getItems()).toEqual([said('new', '1')])
      const other = storeSession({ store: open(), sessionId: 'bob' })
      expect(await other.getItems()).toEqual([])
    }))

  it('keeps what is added at once together, and loses nothing', () =>
    at(async (open) => {
      const stores = [open(), open()]
      const adding = Array.from({ length: 20 }, (_item, n) => {
        const session = storeSession({ store: stores[n % 2]!, sessionId: 's' })
        // Each batch by two writers: whoever is second finds it there.
        const batch = [0, 1, 2].map((i) => said(`${n >> 1}.${i}`, `${n >> 1}.${i}`))
        return session.addItems(batch)
      })
      await Promise.all(adding)
      const items = await storeSession({ store: open(), sessionId: 's' }).getItems()
      expect(items).toHaveLength(30)
      for (let i = 0; i < 30; i += 3) {
        const n = items[i]!.id!.split('.')[0]
        expect(items.slice(i, i + 3).map(({ id }) => id)).toEqual([`${n}.0`, `${n}.1`, `${n}.2`])
      }
    }))

  it('carries a run from one process to the next', () =>
    at(async (open) => {
      const { agent, model } = scripted([calls(['a', 'pay']), 'Paid.', 'Bye.'], [gated('pay')])
      const text = await (async () => {
        const session = storeSession({ store: open(), sessionId: 's' })
        return (await run(agent, 'Pay.', { session })).state.toString()
      })()
      const state = await RunState.fromString(agent, text)
      await state.approve('a')
      await run(agent, state, { session: storeSession({ store: open(), sessionId: 's' }) })
      const session = storeSession({ store: open(), sessionId: 's' })
      await run(agent, 'Bye.', { session })
      expect(brief(model.requests.at(-1)?.messages)).toEqual(['user: Pay.', '+a', '=a', 'Paid.', 'user: Bye.'])
      assertSound(await session.getItems())
    }))
})

describe('a session', () => {
  it('hands out copies, and takes copies', async () => {
    for (const session of [memorySession(), storeSession({ store: memoryStore(), sessionId: 's' })]) {
      const item = said('a', '1')
      await session.addItems([item])
      item.content = 'changed'
      const [read] = await session.getItems()
      read!.content = 'changed'
      expect(await session.getItems()).toEqual([said('a', '1')])
    }
  })

  it('refuses what is not a message, whole', async () => {
    for (const session of [memorySession({ id: 'm' }), storeSession({ store: memoryStore(), sessionId: 's' })]) {
      const wrong = [{ role: 'user' }, { role: 'tool', content: 'x' }, { ...said('a'), id: 7 }, null, said('\ud800')]
      for (const item of wrong) {
        await refused(session.addItems([said('good'), item as never]), InputInvalid, 'input_invalid')
      }
      await refused(session.addItems('x' as never), InputInvalid, 'input_invalid')
      await refused(session.getItems(-1), InputInvalid, 'input_invalid')
      expect(await session.getItems()).toEqual([])
    }
    expect(() => memorySession({ items: [{ role: 'user' } as never] })).toThrow(InputInvalid)
    expect(() => memorySession({ item: [] } as never)).toThrow(InputInvalid)
    expect(() => storeSession({ store: memoryStore(), sessionId: 'a b' })).toThrow(ThreadIdInvalid)
  })

  it('does not take a thread for a session', async () => {
    const store = memoryStore()
    const { agent } = scripted(['Hi.'])
    await run(agent, 'go', { store, threadId: 'session:x' })
    await refused(storeSession({ store, sessionId: 'x' }).getItems(), SessionFailed, 'session_failed')
  })
})
