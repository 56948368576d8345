import { describe, expect, it } from 'vitest'
import { erase, memoryStore, openDesk } from '../../src/index.ts'
import { fakeClock } from '../../src/testing.ts'
import { listDeliveries } from '../../src/webhooks/deliveries.ts'
import { askForRefund } from '../support/agents/asking.ts'
import { inFolder, usePlaces } from '../support/stores/places.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { until } from '../support/until.ts'
import { isSigned, receiver } from './receiver.ts'
import { sending, target } from './scene.ts'

const WHY = { by: 'dora', reason: 'the customer asked for it' }

describe.each(usePlaces())('on %s', (_name, place) => {
  it('who was told of a request is told that an erasure has aborted it, with ids only, also if nobody sends at that time', async () => {
    await inFolder('webhooks-closed', async (folder) => {
      const store = storeAt(place(folder), { durability: 'process' })
      const { url, got } = await receiver()
      const { secret } = await target(store, url)
      const told = (type: string) => got.filter(({ message }) => message.type === type)
      const first = await sending(store)
      const [early, late] = [await askForRefund(store), await askForRefund(store)]
      await until(() => told('request.opened').length === 2)
      await erase(store, { threadId: early.threadId, abort: true, ...WHY })
      await until(() => told('request.closed').length === 1)
      await first.stop()
      await erase(store, { threadId: late.threadId, abort: true, ...WHY })
      const second = await sending(store)
      await until(() => told('request.closed').length === 2)
      expect(told('request.closed').map(({ message }) => message.data)).toEqual(
        [early, late].map(({ id }) => ({ id, version: 2, status: 'aborted', tenant: 'default' })),
      )
      expect(told('request.closed').every((each) => isSigned(each, secret))).toBe(true)
      expect([...first.errors, ...second.errors]).toEqual([])
      await second.stop()
      await store.close()
    })
  })
})

it('a message that a request was closed is still sent after its thread was erased, and other messages about it are not', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const { url, got, state } = await receiver((response) => response.writeHead(500).end())
  const { id: webhook } = await target(store, url)
  const { outcomes } = await sending(store)
  const { id, threadId } = await askForRefund(store)
  await openDesk({ store }).cancel(id, { by: 'ann', reason: 'not needed' })
  await until(() => outcomes.length === 2)
  await erase(store, { threadId, abort: true, ...WHY })
  const waiting = (await listDeliveries(store, { webhook })).deliveries
  expect(waiting.map(({ event }) => event)).toEqual(['request.closed'])
  got.length = 0
  state.answer = (response) => response.writeHead(204).end()
  clock.advance(60_000)
  await until(() => outcomes.length === 3)
  expect(got.map(({ message: { type, data } }) => [type, data.status])).toEqual([['request.closed', 'cancelled']])
})

it('a decision that waits to be told when its thread is erased is told with ids only, and only as often as it must', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const { url, got, state } = await receiver((response) => response.writeHead(500).end())
  const { id: webhook } = await target(store, url)
  const { outcomes, errors } = await sending(store)
  const { id, threadId } = await askForRefund(store)
  await openDesk({ store }).decide({ request: id, decision: { type: 'reject', message: 'no' }, by: 'ann' })
  await until(() => outcomes.length === 2)
  await erase(store, { threadId, abort: true, ...WHY })
  const waiting = (await listDeliveries(store, { webhook })).deliveries
  expect(waiting.map(({ event, attempts }) => [event, attempts])).toEqual([['request.decided', 1]])
  got.length = 0
  state.answer = (response) => response.writeHead(204).end()
  clock.advance(60_000)
  await until(() => outcomes.length === 3)
  const told = { type: 'request.decided', data: { id, version: 2, status: 'decided', tenant: 'default' } }
  expect(got.map(({ message: { type, data } }) => ({ type, data }))).toEqual([told])
  await expect
    .poll(async () => (await listDeliveries(store, { webhook })).deliveries)
    .toMatchObject([{ status: 'delivered' }])
  expect(errors).toEqual([])
})

it('a decision of which no message was made when its thread was erased is told with ids only', async () => {
  const store = memoryStore()
  const { url, got } = await receiver()
  await target(store, url)
  const first = await sending(store)
  const { id, threadId } = await askForRefund(store)
  await until(() => got.length === 1)
  await first.stop()
  await openDesk({ store }).decide({ request: id, decision: { type: 'reject', message: 'no' }, by: 'ann' })
  await erase(store, { threadId, abort: true, ...WHY })
  await sending(store)
  await until(() => got.length === 2)
  expect(got[1]?.message).toMatchObject({ type: 'request.decided' })
  expect(got[1]?.message.data).toEqual({ id, version: 2, status: 'decided', tenant: 'default' })
})

it('a decision that is being sent while its thread is erased is sent again with ids only, and its content is not kept', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const { url, got, state } = await receiver()
  const { id: webhook } = await target(store, url)
  const { outcomes } = await sending(store)
  const { id, threadId } = await askForRefund(store)
  await until(() => outcomes.length === 1)
  let answer = (): void => undefined
  state.answer = (response) => {
    answer = () => void response.writeHead(204).end()
  }
  await openDesk({ store }).decide({ request: id, decision: { type: 'reject', message: 'no' }, by: 'ann' })
  await until(() => got.length === 2)
  await erase(store, { threadId, abort: true, ...WHY })
  state.answer = (response) => response.writeHead(204).end()
  answer()
  await until(() => {
    clock.advance(60_000)
    return got.length > 2
  })
  expect(got[2]?.message.data).toEqual({ id, version: 2, status: 'decided', tenant: 'default' })
  await expect
    .poll(async () => (await listDeliveries(store, { webhook })).deliveries)
    .toMatchObject([{ status: 'delivered' }])
})
