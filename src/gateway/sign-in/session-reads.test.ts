import { expect, it } from 'vitest'
import { memoryStore } from '../../store/memory/store.ts'
import { SessionReads } from './session-reads.ts'
import { newSession, sessionEnd } from './session-records.ts'

/** Sessions of so many people, and followers of them. `reads` has the size of each read. */
async function scene(count: number) {
  const store = memoryStore()
  const made = Array.from({ length: count }, (_, n) =>
    newSession({ sub: `person${n}`, tenant: 'default', roles: ['reviewer'] }),
  )
  await store.writeRecords(made.map(({ change }) => change))
  const reads: number[] = []
  const sessions = new SessionReads((tenant) => {
    const records = store.tenant(tenant)
    return {
      ...records,
      async readRecords(kind, ids) {
        reads.push(ids.length)
        return records.readRecords(kind, ids)
      },
    }
  })
  const followers = made.map(({ session }) => sessions.follow('default', session.id))
  return { store, made, reads, sessions, followers, all: () => Promise.all(followers.map((ask) => ask())) }
}

it('sessions that are asked for in one turn are read together, at most 500 at once', async () => {
  const { reads, all } = await scene(1200)
  expect((await all()).map((caller) => caller?.sub)).toEqual(Array.from({ length: 1200 }, (_, n) => `person${n}`))
  expect(reads).toEqual([500, 500, 200])
  await all()
  expect(reads).toHaveLength(6)
})

it('a session is as it is after the question, not as somebody else found it before', async () => {
  const { store, made, followers } = await scene(2)
  const [first, second] = followers
  const [id] = made.map(({ session }) => session.id)
  expect(await first!()).toMatchObject({ sub: 'person0', roles: ['reviewer'], via: 'inbox', session: id })
  const asked = first!()
  await store.writeRecords([sessionEnd(id!)])
  await asked
  expect(await Promise.all([first!(), second!()])).toMatchObject([undefined, { sub: 'person1' }])
})

it('a changed session is read anew, and one that was written again comes back', async () => {
  const { store, made, followers } = await scene(1)
  const [{ change, session }] = made as [(typeof made)[number]]
  const ask = followers[0]!
  const before = await ask()
  expect(await ask()).toBe(before)
  const { value } = (await store.readRecord('session', session.id))!
  const put = (roles: string[]) => ({
    ...{ op: 'put' as const, kind: 'session', id: session.id },
    value: JSON.stringify({ ...JSON.parse(value), roles }),
  })
  await store.writeRecords([put(['auditor'])])
  expect(await ask()).toMatchObject({ sub: 'person0', roles: ['auditor'] })
  await store.writeRecords([sessionEnd(session.id)])
  expect(await ask()).toBeUndefined()
  await store.writeRecords([change])
  expect(await ask()).toMatchObject({ roles: ['reviewer'] })
})

it('sessions of different tenants are never read together', async () => {
  const { sessions, made, reads } = await scene(1)
  const { id } = made[0]!.session
  const callers = await Promise.all(['default', 'other'].map((tenant) => sessions.follow(tenant, id)()))
  expect(callers).toMatchObject([{ tenant: 'default' }, undefined])
  expect(reads).toEqual([1, 1])
})

it('everybody who asked hears of a read that failed, and the next read is a new one', async () => {
  let broken = true
  const { store, made } = await scene(2)
  const sessions = new SessionReads((tenant) => ({
    ...store.tenant(tenant),
    readRecords: (kind, ids) =>
      broken ? Promise.reject(new Error('the store is away')) : store.tenant(tenant).readRecords(kind, ids),
  }))
  const followers = made.map(({ session }) => sessions.follow('default', session.id))
  const outcomes = await Promise.allSettled(followers.map((ask) => ask()))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  broken = false
  expect((await Promise.all(followers.map((ask) => ask()))).map((caller) => caller?.sub)).toEqual([
    'person0',
    'person1',
  ])
})
