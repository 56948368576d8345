import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createGateway, serve } from '../../src/gateway.ts'
import { Agent, humanInTheLoop, memoryStore, openDesk, run, type Store, StoreFailed, tool } from '../../src/index.ts'
import { memoryStreams } from '../../src/streams/memory/streams.ts'
import { fakeClock, scriptedModel } from '../../src/testing.ts'
import { askForRefund } from '../support/agents/asking.ts'
import { served } from '../support/gateway/served-gateway.ts'
import { until } from '../support/until.ts'

/** A store with a request of another tenant whose time is over. */
async function late() {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const refund = tool({
    name: 'refund',
    description: 'Pays money back.',
    parameters: z.object({}),
    execute: () => 'done',
  })
  const agent = new Agent({
    name: 'clerk',
    model: scriptedModel([{ toolCalls: [{ id: 'c1', name: 'refund', args: {} }] }]),
    tools: [refund],
    policy: humanInTheLoop({ interruptOn: { refund: { timeoutSeconds: 60, onTimeout: 'reject' } } }),
  })
  const acme = store.tenant('acme')
  const { interruptions } = await run(agent, 'go', { threadId: 't', store: acme })
  clock.advance(61_000)
  const journaled = async () => (await acme.getRequest(interruptions[0]!.id))?.status
  return { store, journaled, desk: openDesk({ store: acme }), id: interruptions[0]!.id }
}

/** Counts how often what is due was asked for. */
function counted(
  store: Store,
  due: Store['due'] = (query) => store.due(query),
): { store: Store; sweeps: () => number } {
  let sweeps = 0
  const seen: Store = Object.assign(Object.create(store) as Store, {
    due: (query: Parameters<Store['due']>[0]) => {
      sweeps += 1
      return due(query)
    },
  })
  return { store: seen, sweeps: () => sweeps }
}

describe('a gateway that is served with a store', () => {
  it('closes requests with expired deadlines, of all tenants, without being asked', async () => {
    const { store, journaled } = await late()
    expect(await journaled()).toBe('open')
    await served({ store }, { sweepEveryMs: 5 })
    await until(async () => (await journaled()) === 'expired')
  })

  it('sweeps every second by default, and never when it is switched off', async () => {
    const { store, journaled } = await late()
    const off = counted(store)
    const { server } = await served({ store: off.store }, { sweepEveryMs: false })
    await server.close()
    expect(off.sweeps()).toBe(0)
    expect(await journaled()).toBe('open')
    await served({ store })
    await until(async () => (await journaled()) === 'expired')
  })

  it('stops when it is closed, after the current sweep', async () => {
    const store = memoryStore()
    let open = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const { store: seen, sweeps } = counted(store, async (query) => {
      await gate
      return store.due(query)
    })
    const { server } = await served({ store: seen }, { sweepEveryMs: 1, graceSeconds: 10 })
    await until(() => sweeps() === 1)
    let closed = false
    const closing = server.close().then(() => {
      closed = true
    })
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(closed).toBe(false)
    open()
    await closing
    const after = sweeps()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(sweeps()).toBe(after)
  })

  it('does not wait longer than its grace for a store that does not answer', async () => {
    const { store, sweeps } = counted(memoryStore(), () => new Promise(() => undefined))
    const { server } = await served({ store }, { graceSeconds: 0.05 })
    await until(() => sweeps() === 1)
    await server.close()
  })

  it('logs failures, the same one once a minute, and continues', async () => {
    const sound = memoryStore()
    let away = true
    const { store, sweeps } = counted(sound, (query) =>
      away ? Promise.reject(new StoreFailed('the disk is gone', new Error('EIO'))) : sound.due(query),
    )
    const error = vi.fn()
    await served({ store, logger: { info: () => undefined, warn: () => undefined, error } }, { sweepEveryMs: 1 })
    await until(() => sweeps() >= 5)
    away = false
    const before = sweeps()
    await until(() => sweeps() > before + 2)
    expect(error).toHaveBeenCalledTimes(1)
    expect(error.mock.calls[0]).toEqual([
      { error: expect.objectContaining({ name: 'StoreFailed' }) },
      'expired deadlines could not be recorded',
    ])
  })

  it.each([0, -1, Number.NaN, 2 ** 31, '1000', true])(
    'refuses sweepEveryMs %j before it listens',
    async (sweepEveryMs) => {
      const auth = { authenticate: () => Promise.reject(new Error('nobody')) }
      const gateway = createGateway({ streams: memoryStreams(), auth, store: memoryStore() })
      await expect(serve(gateway, { sweepEveryMs: sweepEveryMs as number })).rejects.toThrow('sweepEveryMs')
    },
  )
})

it('a gateway that is served deletes rows of the outbox that are older than a week, and expired records', async () => {
  const clock = fakeClock()
  const kept = memoryStore({ clock })
  await kept.writeRecords([{ op: 'put', kind: 'x', id: 'short', value: '1', ttlMs: 1000 }])
  await askForRefund(kept)
  clock.advance(6 * 86_400_000)
  await askForRefund(kept)
  clock.advance(2 * 86_400_000)
  expect(await kept.outbox({ after: '' })).toMatchObject({ missed: false, rows: [{}, {}] })
  await served({ store: kept })
  await until(async () => (await kept.outbox({ after: '' })).missed)
  expect((await kept.outbox({ after: '' })).rows).toHaveLength(1)
})

it('a gateway that leaves sweeping to others deletes nothing', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  await askForRefund(store)
  clock.advance(8 * 86_400_000)
  const { server } = await served({ store }, { sweepEveryMs: false })
  await server.close()
  expect((await store.outbox({ after: '' })).rows).toHaveLength(1)
})
