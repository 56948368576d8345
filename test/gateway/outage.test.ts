import { expect, it } from 'vitest'
import { listDeliveries } from '../../src/webhooks/deliveries.ts'
import { askForRefund } from '../support/agents/asking.ts'
import { follow } from '../support/gateway/follow-events.ts'
import { gatewayProcess, send } from '../support/gateway/gateway-process.ts'
import { freshSchema, usePostgres } from '../support/servers/use-postgres.ts'
import { soak } from '../support/soak.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { until } from '../support/until.ts'
import { receiver } from '../webhooks/receiver.ts'
import { target } from '../webhooks/scene.ts'

const server = usePostgres()

it.each([
  ['is stopped and started', 'stop'],
  ['crashes and recovers', 'crash'],
] as const)('a gateway whose Postgres %s goes on by itself: no event and no webhook is lost', async (_name, end) => {
  const address = `${server.get().connectionString}#${freshSchema()}`
  const store = storeAt(address)
  const { url: hook, got } = await receiver()
  const { id: webhook } = await target(store, hook)
  const gateway = await gatewayProcess(address, { storeTimeoutMs: 1000 })
  await until(async () => (await store.readRecord('cursor', 'webhooks')) !== undefined)
  const { seen, stop } = follow(() => gateway.url, 'ann:reviewer')
  const foreign = follow(() => gateway.url, 'eve:reviewer:elsewhere')
  await until(() => seen.ready && foreign.seen.ready)
  const asked = [(await askForRefund(store)).id]
  await until(() => seen.ids.length === 1 && got.length === 1)
  for (let round = 0; round < soak.times(1, 5); round++) {
    await server.get()[end]()
    const refused = await send(gateway, `/v1/requests/${asked[0]}/comments`, { body: { text: 'x' } })
    expect(refused).toMatchObject({ status: 503 })
    await server.get().start()
    // Begun at once, before the gateway has noticed.
    for (let i = 0; i < 3; i++) asked.push((await askForRefund(store)).id)
    await until(() => new Set(seen.ids).size === asked.length, 20_000)
  }
  expect([...new Set(seen.ids)]).toEqual(asked)
  expect([seen.resets, foreign.seen.ids]).toEqual([0, []])
  const delivered = async () =>
    (await listDeliveries(store, { webhook, limit: 100 })).deliveries.filter(({ status }) => status === 'delivered')
  await until(async () => (await delivered()).length === asked.length)
  expect(new Set(got.map(({ message }) => message.data.id))).toEqual(new Set(asked))
  expect(new Set(got.map(({ id }) => id)).size).toBe(asked.length)
  stop()
  foreign.stop()
  await gateway.kill()
  await store.close()
})
