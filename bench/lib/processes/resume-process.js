// @ts-check
// A worker in a process of its own. It tells when a thread was handed to it, and when the thread was done.

import { createOrders } from '../../peers/holdpoint.js'
import { createLangGraph } from '../../peers/langgraph.js'
import { loadHoldpoint, loadWorker } from '../subject/dist.js'
import { DONE } from '../subject/scenario.js'
import { openQueue } from './open-queue.js'

/** @typedef {import('./resume-pair.js').PairSpec} PairSpec */
/** @typedef {import('../../../dist/worker.js').Queue} Queue */

const CONCURRENCY = 32
/** @type {PairSpec} */
const { system, url, queue, bare } = JSON.parse(process.argv[2] ?? '')
process.on('disconnect', () => process.exit())

/** By the clock that all processes of the machine share. @param {'handed' | 'done'} what @param {string} threadId */
function tell(what, threadId) {
  process.send?.({ what, threadId, at: `${process.hrtime.bigint()}` })
}

/** Tells of wake-ups before they are handled. @param {Queue} inner @returns {Queue} */
function watched(inner) {
  return {
    isRungByStore: inner.isRungByStore ?? false,
    ring: (wakeUp, options) => inner.ring(wakeUp, options),
    consume: (options) =>
      inner.consume({
        ...options,
        handle(wakeUp) {
          tell('handed', wakeUp.threadId)
          return options.handle(wakeUp)
        },
      }),
    close: () => inner.close(),
  }
}

async function startHoldpoint() {
  const [{ postgresStore }, { createWorker }] = await Promise.all([loadHoldpoint(), loadWorker()])
  const worker = createWorker({
    agents: [createOrders(() => DONE)],
    store: postgresStore({ connectionString: url, onWarning() {} }),
    queue: watched(await openQueue(queue)),
    concurrency: CONCURRENCY,
    onEvent(event) {
      if (event.type === 'driven' && event.outcome === 'over') tell('done', event.threadId)
      if (event.type === 'failed' || event.type === 'dead' || event.type === 'error') console.error(event)
    },
  })
  await worker.start()
}

async function startLangGraph() {
  const graph = await createLangGraph(url)
  await watched(await openQueue(queue)).consume({
    routes: ['langgraph'],
    concurrency: CONCURRENCY,
    async handle({ threadId }) {
      await graph.resume(threadId)
      tell('done', threadId)
    },
    onError: (error) => console.error(error),
  })
}

await watched(await openQueue(bare)).consume({
  routes: ['bare'],
  concurrency: CONCURRENCY,
  handle: async () => {},
  onError: (error) => console.error(error),
})
await (system === 'holdpoint' ? startHoldpoint() : startLangGraph())
process.send?.({ what: 'ready' })
