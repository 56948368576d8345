import { expect, it } from 'vitest'
import { erase, memoryStore } from '../../src/index.ts'
import * as worker from '../../src/worker.ts'

/** What takes a store, and perhaps options. */
const ofStore = {
  ...{ abortRun: worker.abortRun, enqueueRun: worker.enqueueRun, erase, moveRun: worker.moveRun },
  ...{ liveRoutes: worker.liveRoutes, liveWorkers: worker.liveWorkers, redrive: worker.redrive },
  ...{ stuckThreads: worker.stuckThreads, workerMetrics: worker.workerMetrics },
}

it.each(Object.entries(ofStore))('%s says that it needs a store, also from JavaScript', async (_name, given) => {
  const use = given as unknown as (store?: unknown) => unknown
  for (const store of [undefined, null, {}, 'app.db'])
    await expect((async () => use(store))()).rejects.toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining('needs a store'),
    })
})

it.each(['abortRun', 'enqueueRun', 'erase', 'moveRun'] as const)('%s says that it needs options', async (name) => {
  const use = ofStore[name] as unknown as (store: unknown, options?: unknown) => unknown
  for (const options of [undefined, null, 'order-1'])
    await expect((async () => use(memoryStore(), options))()).rejects.toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining('takes its options as an object'),
    })
})

it.each(['abortRun', 'moveRun'] as const)('%s takes no reason that a record cannot keep', async (name) => {
  const use = ofStore[name] as (store: unknown, options: unknown) => unknown
  for (const reason of [undefined, 7, ' ', 'x'.repeat(2001), 'half \ud83d'])
    await expect(
      (async () =>
        use(memoryStore(), { threadId: 't', by: 'olga', reason, ...(name === 'moveRun' ? { to: '2' } : {}) }))(),
    ).rejects.toMatchObject({ code: 'input_invalid', message: expect.stringContaining('needs a reason') })
})

const { bullmqQueue, createWorker, postgresQueue, queueRoleScript } = worker

it.each(Object.entries({ bullmqQueue, createWorker, postgresQueue, queueRoleScript }))(
  '%s says so, too',
  (_name, given) => {
    const make = given as unknown as (options?: unknown) => unknown
    for (const options of [undefined, null, 'app'])
      expect(() => make(options)).toThrow(expect.objectContaining({ code: 'input_invalid' }))
  },
)
