import { expect, it } from 'vitest'
import { createGateway, jwtAuth, serve } from '../../src/gateway.ts'
import { memoryStore, openDesk, type Store } from '../../src/index.ts'
import { fakeClock } from '../../src/testing.ts'
import { inProcessQueue } from '../../src/worker.ts'
import { SECRET as TOKEN_SECRET } from '../support/gateway/served-gateway.ts'
import { until } from '../support/until.ts'
import { payer, scene } from '../worker/scene.ts'
import { finishedThread, pausedThread } from './scene.ts'

const DAY_MS = 86_400_000
const auth = jwtAuth({ secret: TOKEN_SECRET, issuer: 'tests', audience: 'gateway' })

/** Old threads of two tenants, one of them not over, and a new one. */
async function aged(): Promise<{ clock: ReturnType<typeof fakeClock>; store: Store }> {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const acme = store.tenant('acme')
  await finishedThread(acme, 'old')
  await finishedThread(store, 'old')
  await pausedThread(store, 'waiting')
  await pausedThread(store, 'decided').then((request) =>
    openDesk({ store }).decide({ request, decision: { type: 'approve' }, by: 'ann' }),
  )
  clock.advance(91 * DAY_MS)
  await finishedThread(store, 'new')
  return { clock, store }
}

async function assertSwept(store: Store): Promise<void> {
  const isErased = async (view: Store, threadId: string) => (await view.readHead(threadId)).erased === true
  const recorded = (view: Store) => view.readHead('~erasures').then(({ version }) => version === 1)
  await until(async () => (await recorded(store)) && (await recorded(store.tenant('acme'))))
  expect(await isErased(store, 'old')).toBe(true)
  expect(await isErased(store.tenant('acme'), 'old')).toBe(true)
  for (const threadId of ['waiting', 'decided', 'new']) expect(await isErased(store, threadId), threadId).toBe(false)
  const [entry] = (await store.read('~erasures')).entries
  expect(JSON.parse(entry!.body)).toMatchObject({ thread: 'old', by: { kind: 'system', id: 'retention' } })
}

it('a gateway with retention erases threads that are over and too old, of all tenants, and no others', async () => {
  const { store } = await aged()
  const gateway = createGateway({ store, auth, retention: { olderThan: '90d' } })
  const server = await serve(gateway, { port: 0, sweepEveryMs: false })
  await assertSwept(store)
  await server.close()
})

it('a worker with retention erases them, too, and without it nothing is erased', async () => {
  const { store, clock } = await aged()
  const { start, events } = scene({ store, queue: inProcessQueue() })
  const idle = await start(payer(), { clock })
  await until(() => idle.status().leads)
  expect((await store.readHead('old')).erased).toBeUndefined()
  await idle.stop()
  const worker = await start(payer(), { retention: { olderThan: '90d' } })
  await until(async () => {
    clock.advance(1000)
    return worker.status().leads && (await store.readHead('~erasures')).version > 0
  })
  await assertSwept(store)
  await until(() => events.some((event) => event.type === 'erased' && event.threads === 2))
})

it.each([['90'], ['90 d'], ['0d'], ['-1d'], ['d'], [90], ['9999999999d'], ['1000000w']])(
  'an age of %o is refused',
  (olderThan) => {
    const retention = { olderThan } as { olderThan: string }
    expect(() => createGateway({ store: memoryStore(), auth, retention })).toThrow(/age such as '90d'/)
  },
)
