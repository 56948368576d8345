// @ts-check
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createOrders } from '../../peers/holdpoint.js'
import { createLangGraph } from '../../peers/langgraph.js'
import { createCopies } from '../subject/copies.js'
import { loadHoldpoint } from '../subject/dist.js'
import { INPUT, refund } from '../subject/scenario.js'
import { openQueue } from './open-queue.js'

/**
 * `queue` wakes the worker, `bare` is another queue of the same engine that nothing else uses.
 *
 * @typedef {{ system: 'holdpoint' | 'langgraph', url: string, turns: number, queue: import('../subject/subject.js').QueueSpec, bare: import('../subject/subject.js').QueueSpec }} PairSpec
 * @typedef {{ pause(threadId: string): Promise<unknown>, decide(threadId: string, paused: any): Promise<unknown>, close(): Promise<unknown> }} Decider
 */

const WORKER = fileURLToPath(new URL('./resume-process.js', import.meta.url))

/** This process, where people decide, and a worker in another one. @param {PairSpec} spec */
export async function startPair(spec) {
  const decider = await (spec.system === 'holdpoint' ? decideByDesk(spec) : decideByRing(spec))
  const bare = await openQueue(spec.bare)
  const child = fork(WORKER, [JSON.stringify(spec)], { stdio: ['ignore', 2, 2, 'ipc'] })
  await ready(child)
  const told = listen(child)
  /** @param {'handed' | 'done'} what @param {string} threadId @param {bigint} began */
  const until = async (what, threadId, began) => Number((await told(what, threadId)) - began) / 1e6
  return {
    /** A thread that waits for a decision. @param {string} threadId */
    prepare: async (threadId) => ({ threadId, paused: await decider.pause(threadId) }),
    /** Milliseconds from the decision until the worker has the wake-up, and until the run is over. @param {{ threadId: string, paused: any }} held */
    async decide({ threadId, paused }) {
      const began = process.hrtime.bigint()
      const times = Promise.all([until('handed', threadId, began), until('done', threadId, began)])
      await decider.decide(threadId, paused)
      const [handed, done] = await times
      return { handed, done }
    },
    /** Milliseconds from a ring of the bare queue to its handler. @param {string} threadId */
    async handOff(threadId) {
      const began = process.hrtime.bigint()
      const handed = until('handed', threadId, began)
      await bare.ring({ tenantId: 'bench', threadId, route: 'bare' })
      return handed
    },
    async close() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      await Promise.all([bare.close(), decider.close()])
    },
  }
}

/** @param {import('node:child_process').ChildProcess} child */
function ready(child) {
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('the worker ended (see above)')))
    child.once('message', resolve)
  })
}

/** Waits for what a worker tells. @param {import('node:child_process').ChildProcess} child */
function listen(child) {
  /** @type {Map<string, (at: bigint) => void>} */
  const waiting = new Map()
  child.on('message', (/** @type {{ what: string, threadId: string, at: string }} */ { what, threadId, at }) => {
    waiting.get(`${what} ${threadId}`)?.(BigInt(at))
    waiting.delete(`${what} ${threadId}`)
  })
  return (/** @type {string} */ what, /** @type {string} */ threadId) =>
    new Promise((/** @type {(at: bigint) => void} */ resolve) => waiting.set(`${what} ${threadId}`, resolve))
}

/** Decisions are stored; the process knows no queue. @param {PairSpec} spec @returns {Promise<Decider>} */
async function decideByDesk({ url, turns }) {
  const { openDesk, postgresStore, run } = await loadHoldpoint()
  const store = postgresStore({ connectionString: url, onWarning() {} })
  const desk = openDesk({ store })
  const agent = createOrders(() => refund(0))
  const copy = await createCopies(store, turns)
  return {
    async pause(threadId) {
      await copy(threadId)
      const { state } = await run(agent, INPUT, { threadId, store })
      return state.interruptions[0]
    },
    decide: (_, request) => desk.decide({ request, decision: { type: 'approve' }, by: 'ann' }),
    close: () => store.close(),
  }
}

/** LangGraph stores no decision before it resumes: the job is all that there is. @param {PairSpec} spec @returns {Promise<Decider>} */
async function decideByRing({ url, turns, queue: spec }) {
  const graph = await createLangGraph(url)
  await graph.build('template', turns)
  const queue = await openQueue(spec)
  return {
    pause: (threadId) => graph.pause('template', threadId),
    decide: (threadId) => queue.ring({ tenantId: 'bench', threadId, route: 'langgraph' }),
    close: () => Promise.all([queue.close(), graph.close()]),
  }
}
