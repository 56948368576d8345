import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import type { GrantItem } from '../../src/protocol/api/records.ts'
import type { RequestItem } from '../../src/protocol/api/requests.ts'
import { type GatewayProcess, gatewayProcess, send } from '../support/gateway/gateway-process.ts'
import { ask } from '../support/gateway/inbox-scene.ts'
import { soak } from '../support/soak.ts'
import { typesOf } from '../support/stores/entries.ts'
import { inFolder, usePlaces } from '../support/stores/places.ts'
import { storeAt } from '../support/stores/stored-at.js'

const POINTS = ['store.append.begun', 'store.append.written', 'store.append.committed'] as const

/** A write over HTTP, and the entries that it makes. */
interface Write {
  name: string
  /** What there must be before. Resolves to the path, the body and the thread that is written to. */
  prepare(store: Store, living: GatewayProcess, threadId: string): Promise<Prepared>
  entry: string
}

interface Prepared {
  path: string
  body: unknown
  thread: string
}

const THREE = [{}, {}, {}]

async function shown({ url }: GatewayProcess, id: string): Promise<RequestItem> {
  const response = await fetch(`${url}/v1/requests/${id}`, { headers: { authorization: 'Bearer ann:operator' } })
  return ((await response.json()) as { request: RequestItem }).request
}

const seenNow = ({ version, digest }: RequestItem) => ({ version, ...(digest === undefined ? {} : { digest }) })

/** Asks, and resolves to the request and what a decision of it names. */
async function asked(store: Store, living: GatewayProcess, thread: string) {
  const [id] = await ask(store, thread, {})
  return { id: id!, seen: seenNow(await shown(living, id!)) }
}

const approve = { type: 'approve' } as const

const WRITES: Write[] = [
  {
    name: 'decide',
    entry: 'request.decided',
    async prepare(store, living, thread) {
      const { id, seen } = await asked(store, living, thread)
      return { thread, path: `/v1/requests/${id}/decide`, body: { ...seen, decision: approve } }
    },
  },
  {
    name: 'decide for good',
    entry: 'grant.created',
    async prepare(store, living, thread) {
      const { id, seen } = await asked(store, living, thread)
      return { thread, path: `/v1/requests/${id}/decide`, body: { ...seen, decision: approve, always: true } }
    },
  },
  {
    name: 'withdraw',
    entry: 'request.reopened',
    async prepare(store, living, thread) {
      const { id, seen } = await asked(store, living, thread)
      const decided = await send<RequestItem>(living, `/v1/requests/${id}/decide`, {
        body: { ...seen, decision: approve, undoSeconds: 300 },
      })
      return { thread, path: `/v1/requests/${id}/withdraw`, body: { version: decided!.body.version } }
    },
  },
  {
    name: 'comment',
    entry: 'request.commented',
    async prepare(store, living, thread) {
      const { id } = await asked(store, living, thread)
      return { thread: `~notes/${id}`, path: `/v1/requests/${id}/comments`, body: { text: 'Is this right?' } }
    },
  },
  {
    name: 'claim',
    entry: 'request.assigned',
    async prepare(store, living, thread) {
      const { id } = await asked(store, living, thread)
      return { thread: `~notes/${id}`, path: `/v1/requests/${id}/claim`, body: { seconds: 60 } }
    },
  },
  {
    name: 'revoke a grant',
    entry: 'grant.revoked',
    async prepare(store, living, thread) {
      const { id, seen } = await asked(store, living, thread)
      await send(living, `/v1/requests/${id}/decide`, { body: { ...seen, decision: approve, always: true } })
      const response = await fetch(`${living.url}/v1/grants?thread=${thread}`, {
        headers: { authorization: 'Bearer ann:operator' },
      })
      const [grant] = ((await response.json()) as { grants: GrantItem[] }).grants
      return { thread, path: `/v1/grants/${grant!.id}/revoke`, body: {} }
    },
  },
]

const CASES = WRITES.flatMap((write) => POINTS.map((point) => ({ write, point })))

describe.each(usePlaces())('a gateway on %s that is killed at each point of a write', (name, place) => {
  const part = name === 'SQLite' ? 0 : 1

  it(
    'has done it or not; the same key at another gateway gets what was stored, or does it, once',
    async () => {
      await inFolder('gateway', async (folder) => {
        const address = place(folder)
        const store = storeAt(address, { durability: 'process' })
        const living = await gatewayProcess(address, { webhooks: false })
        let nth = 0
        for (const { write, point } of soak.sample(CASES, { part, of: 5 })) {
          const about = `${write.name}, killed at ${point}`
          const { path, body, thread } = await write.prepare(store, living, `t${nth++}`)
          const count = async () => (await typesOf(store, thread)).filter((each) => each === write.entry).length
          const victim = await gatewayProcess(address, { webhooks: false })
          await victim.killAt(point)
          expect(await send(victim, path, { body, key: 'k' }), about).toBeUndefined()
          await victim.gone
          const stored = await count()
          if (point === 'store.append.committed') expect(stored, about).toBe(1)
          if (point === 'store.append.begun') expect(stored, about).toBe(0)
          const again = await send(living, path, { body, key: 'k' })
          // A server may still work on what a dead client has sent; the key is stored with it then.
          expect([again?.status === 200 || again?.status === 201, again?.replayed], about).toEqual([
            true,
            stored === 1 || (again?.replayed === true && point === 'store.append.written'),
          ])
          expect(await count(), about).toBe(1)
          const other = await send(living, path, { body: { ...(body as object), comment: 'other' }, key: 'k' })
          expect([400, 422], about).toContain(other?.status)
        }
        await store.close()
      })
    },
    soak.times(120_000, 260_000),
  )

  it('has done each of a bulk decision or not; the same key does the rest', async () => {
    await inFolder('gateway', async (folder) => {
      const address = place(folder)
      const store = storeAt(address, { durability: 'process' })
      const living = await gatewayProcess(address, { webhooks: false })
      for (const point of soak.sample(POINTS, { part: part + 1, of: 3 })) {
        const ids = (await Promise.all(THREE.map((call, i) => ask(store, `${point}-${i}`, call)))).map(([id]) => id!)
        const items = await Promise.all(ids.map(async (id) => ({ id, ...seenNow(await shown(living, id)) })))
        const body = { items, decision: approve }
        const victim = await gatewayProcess(address, { webhooks: false })
        await victim.killAt(point)
        expect(await send(victim, '/v1/requests/decide', { body, key: point })).toBeUndefined()
        const again = await send<{ outcomes: { ok: boolean }[] }>(living, '/v1/requests/decide', { body, key: point })
        expect(again?.body.outcomes.map(({ ok }) => ok)).toEqual([true, true, true])
        for (const [i] of THREE.entries())
          expect((await typesOf(store, `${point}-${i}`)).filter((type) => type === 'request.decided')).toHaveLength(1)
      }
      await store.close()
    })
  })
})
