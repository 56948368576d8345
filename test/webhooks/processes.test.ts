import { describe, expect, it } from 'vitest'
import { listDeliveries } from '../../src/webhooks/deliveries.ts'
import { askForRefund } from '../support/agents/asking.ts'
import { gatewayProcess } from '../support/gateway/gateway-process.ts'
import { openEvents } from '../support/gateway/live-events.ts'
import { inFolder, usePlaces } from '../support/stores/places.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { until } from '../support/until.ts'
import { receiver } from './receiver.ts'
import { target } from './scene.ts'

describe.each(usePlaces())('two gateways on %s', (_name, place) => {
  it('share the work, and if one is killed while it sends, every request is still told, each under one id', async () => {
    await inFolder('webhooks', async (folder) => {
      const address = place(folder)
      const store = storeAt(address, { durability: 'process' })
      const held: (() => void)[] = []
      const { url, got, state } = await receiver((response) => held.push(() => response.writeHead(204).end()))
      const { id: webhook } = await target(store, url)
      const gateways = [await gatewayProcess(address), await gatewayProcess(address)]
      await until(async () => (await store.readRecord('cursor', 'webhooks')) !== undefined)
      const asked = []
      for (let i = 0; i < 20; i++) asked.push((await askForRefund(store)).id)
      await until(() => held.length >= 4)
      await gateways[0]!.kill()
      state.answer = (response) => response.writeHead(204).end()
      for (const answer of held) answer()
      const delivered = async () =>
        (await listDeliveries(store, { webhook, limit: 100 })).deliveries.filter(({ status }) => status === 'delivered')
      await until(async () => (await delivered()).length === asked.length)
      const ids = new Map<unknown, Set<string>>()
      for (const { id, message } of got) ids.set(message.data.id, (ids.get(message.data.id) ?? new Set()).add(id))
      expect([...ids.keys()].sort()).toEqual(asked.sort())
      expect([...ids.values()].every((each) => each.size === 1)).toBe(true)
      await gateways[1]!.kill()
      await store.close()
    })
  })

  it('tell live events of each other, and a client of the one that is killed resumes at the other', async () => {
    await inFolder('events', async (folder) => {
      const address = place(folder)
      const store = storeAt(address, { durability: 'process' })
      const [one, two] = [await gatewayProcess(address), await gatewayProcess(address)]
      const first = await openEvents(one!.url, 'ann:reviewer')
      const other = await openEvents(two!.url, 'bob:reviewer')
      await until(() => first.seen.lastId !== undefined && other.seen.lastId !== undefined)
      const before = await askForRefund(store)
      await until(() => first.seen.events.length === 1 && other.seen.events.length === 1)
      await one!.kill()
      await first.reading
      const missed = await askForRefund(store)
      const again = await openEvents(two!.url, 'ann:reviewer', { lastEventId: first.seen.lastId! })
      await until(() => again.seen.events.length === 1 && other.seen.events.length === 2)
      expect(again.seen.events).toMatchObject([{ id: missed.id, what: 'opened' }])
      expect(other.seen.events.map((each) => 'id' in each && each.id)).toEqual([before.id, missed.id])
      await two!.kill()
      await store.close()
    })
  })
})
