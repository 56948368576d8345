import { describe, expect, it, onTestFinished } from 'vitest'
import { cookieName, pairText } from '../../src/gateway/sign-in/cookie.ts'
import { newSession, sessionEnd } from '../../src/gateway/sign-in/session-records.ts'
import { memoryStore, type Store } from '../../src/index.ts'
import { postgresStore } from '../../src/store/postgres/store.ts'
import { askForRefund } from '../support/agents/asking.ts'
import { openEvents } from '../support/gateway/live-events.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'
import { freshSchema, usePostgres } from '../support/servers/use-postgres.ts'
import { until } from '../support/until.ts'

const server = usePostgres()

type ReadRecords = Store['readRecords']

/** A store whose reads of several records go through `read`. */
function readingBy(inner: Store, read: (sound: ReadRecords) => ReadRecords): Store {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (name === 'tenant') return (id: string) => readingBy(target.tenant(id), read)
      if (name === 'readRecords') return read(target.readRecords.bind(target))
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Signs a person in and opens a stream by the cookie. Sees nothing of its own until its first id has come. */
async function watch(store: Store, url: string, sub: string) {
  const { cookie, change, session } = newSession({ sub, tenant: 'default', roles: ['reviewer'] })
  await store.writeRecords([change])
  const headers = { cookie: `${cookieName(url)}=${pairText(cookie)}` }
  const { seen, reading } = await openEvents(url, undefined, { headers })
  await until(() => seen.lastId !== undefined)
  const ids = () => seen.events.map((each) => 'id' in each && each.id)
  return { seen, reading, ids, revoke: () => store.writeRecords([sessionEnd(session.id)]) }
}

async function many(count: number, open: (n: number) => ReturnType<typeof watch>) {
  return Promise.all(Array.from({ length: count }, (_, n) => open(n)))
}

describe('the sign-ins of live streams', () => {
  it('are read together, however many streams there are', async () => {
    let reads = 0
    const store = readingBy(memoryStore(), (sound) => (kind, ids) => {
      reads += 1
      return sound(kind, ids)
    })
    const { url } = await served({ store, heartbeatSeconds: 60, webhooks: false })
    const streams = await many(20, (n) => watch(store, url, `person${n}`))
    for (const changes of [1, 2, 3]) {
      await askForRefund(store)
      await until(() => streams.every(({ seen }) => seen.events.length === changes))
    }
    // Streams that were still sending what came before are late, and read on their own.
    expect(reads).toBeGreaterThanOrEqual(3)
    expect(reads).toBeLessThan(20 * 3)
  })

  it('end, on every gateway, without a change that came after they were revoked', async () => {
    const { connectionString } = server.get()
    const schema = freshSchema()
    const open = () => {
      const store = postgresStore({ connectionString, schema })
      onTestFinished(() => store.close())
      return store
    }
    const deciding = open()
    const gateways = await Promise.all(
      [open(), open()].map(async (store) => ({ store, ...(await served({ store, heartbeatSeconds: 60 })) })),
    )
    const streams = await many(12, (n) => {
      const { store, url } = gateways[n % 2]!
      return watch(store, url, `person${n}`)
    })
    const before = await askForRefund(deciding)
    await until(() => streams.every(({ seen }) => seen.events.length === 1))
    const revoked = streams.filter((_, n) => n % 3 === 0)
    const kept = streams.filter((_, n) => n % 3 !== 0)
    await Promise.all(revoked.map(({ revoke }) => revoke()))
    const after = await askForRefund(deciding)
    await Promise.all(revoked.map(({ reading }) => reading))
    await until(() => kept.every(({ seen }) => seen.events.length === 2))
    for (const { seen, ids } of revoked) expect([seen.ended, ids()]).toEqual([true, [before.id]])
    for (const { seen, ids } of kept) expect([seen.ended, ids()]).toEqual([false, [before.id, after.id]])
  })

  it('let no change through that came while a sign-in was being read', async () => {
    let hold = false
    let release = () => undefined as undefined
    const released = new Promise<void>((resolve) => {
      release = () => void resolve()
    })
    let held = 0
    const store = readingBy(memoryStore(), (sound) => async (kind, ids) => {
      const found = await sound(kind, ids)
      if (hold) {
        held += 1
        await released
      }
      return found
    })
    const { url } = await served({ store, heartbeatSeconds: 60, webhooks: false })
    const ann = await watch(store, url, 'ann')
    const other = await openEvents(url, await tokenOf('bob', { roles: ['reviewer'] }))
    await until(() => other.seen.lastId !== undefined)
    hold = true
    const before = await askForRefund(store)
    await until(() => held === 1)
    await ann.revoke()
    await askForRefund(store)
    // The gateway has both now.
    await until(() => other.seen.events.length === 2)
    hold = false
    release()
    await ann.reading
    expect([ann.seen.ended, ann.ids()]).toEqual([true, [before.id]])
  })

  it('end if they cannot be read', async () => {
    let broken = false
    const store = readingBy(
      memoryStore(),
      (sound) => (kind, ids) => (broken ? Promise.reject(new Error('the store is away')) : sound(kind, ids)),
    )
    const { url } = await served({ store, heartbeatSeconds: 60, webhooks: false })
    const streams = await many(3, (n) => watch(store, url, `person${n}`))
    broken = true
    await askForRefund(store)
    await Promise.all(streams.map(({ reading }) => reading))
    for (const { seen } of streams) expect([seen.ended, seen.events]).toEqual([true, []])
  })
})
