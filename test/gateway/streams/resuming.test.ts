import { expect, it } from 'vitest'
import { memoryStore, type Store } from '../../../src/index.ts'
import { askForRefund } from '../../support/agents/asking.ts'
import { openEvents } from '../../support/gateway/live-events.ts'
import { served, tokenOf } from '../../support/gateway/served-gateway.ts'
import { latch } from '../../support/latch.ts'
import { until } from '../../support/until.ts'

const token = await tokenOf('ann', { roles: ['reviewer'] })

/** A store whose next read of the outbox after a position answers late, with what it found at once. */
function slowAt(store: Store) {
  const gate = latch()
  const slow = { position: '', begun: false, release: gate.open }
  const wrapped = new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown
      if (name !== 'outbox') return typeof value === 'function' ? value.bind(target) : value
      return async (query?: Parameters<Store['outbox']>[0]) => {
        const page = await target.outbox(query)
        if (query?.after === slow.position && query.limit === 1000 && !slow.begun) {
          slow.begun = true
          await gate.passed
        }
        return page
      }
    },
  })
  return { store: wrapped, slow }
}

it('a client that resumes while another waits for the same read misses nothing', async () => {
  const inner = memoryStore()
  const before = await served({ store: inner })
  const first = await openEvents(before.url, token)
  await until(() => first.seen.lastId !== undefined)
  const lastEventId = first.seen.lastId!
  const position = (await inner.outbox()).end
  first.leave()

  // At another gateway, whose feed begins after what they missed: both read it from the store.
  const missed = await askForRefund(inner)
  const { store, slow } = slowAt(inner)
  slow.position = position
  const { url } = await served({ store })
  const witness = await openEvents(url, token)
  await until(() => witness.seen.lastId !== undefined)
  const early = await openEvents(url, token, { lastEventId })
  await until(() => slow.begun)
  const since = await askForRefund(inner)
  await until(() => witness.seen.events.length === 1)
  const late = await openEvents(url, token, { lastEventId })
  slow.release()
  for (const { seen } of [early, late]) {
    await until(() => seen.events.length >= 2, 3000).catch(() => undefined)
    expect(seen.events.map((each) => 'id' in each && each.id)).toEqual([missed.id, since.id])
  }
})
