import { setTimeout as sleep } from 'node:timers/promises'
import { HitlStaleAnswer, RunState, run, ThreadBusy, ThreadPaused } from 'holdpoint'
import { createAgent, record } from '../crash/support/cycle.js'
import { sleepUntil } from '../support/sleep-until.js'
import { storeAt } from '../support/stores/stored-at.js'

/**
 * One of many processes that all want to run, decide and resume the same threads at the same time, each with several promises.
 *
 * @typedef {object} Contest
 * @property {string} path the store's address
 * @property {string} log
 * @property {string} name who it is
 * @property {number} startAt when all begin, in milliseconds since 1970
 * @property {string[]} threads
 * @property {number} promises how many of its promises contend for each thread
 * @property {('run' | 'decide' | 'resume')[]} steps what it does
 * @property {import('../crash/support/cycle.js').Cycle} cycle
 */

const contest = /** @type {Contest} */ (JSON.parse(process.argv[2] ?? ''))
const store = storeAt(contest.path, { durability: 'process' })
const agent = createAgent(contest.cycle)

/** @param {object} line */
const log = (line) => record(contest.log, line)

/** @param {string} threadId @param {string} who @param {() => Promise<unknown>} attempt */
async function refusable(threadId, who, attempt) {
  try {
    await attempt()
  } catch (error) {
    const { name, message, requestId, by } = /** @type {Error & { requestId?: string, by?: { id: string } }} */ (error)
    log({ kind: 'refused', threadId, who, name, message, requestId, by: by?.id })
    const typed = error instanceof ThreadBusy || error instanceof ThreadPaused || error instanceof HitlStaleAnswer
    if (!typed) throw error
  }
}

/** @param {Error} error */
function describe(error) {
  return `${error.name}: ${error.message} ${error.cause instanceof Error ? error.cause.stack : ''}`
}

/** @param {string} threadId @param {string} who @param {import('holdpoint').RunResult} result */
function returned(threadId, who, result) {
  log({ kind: 'returned', threadId, who, status: result.status, error: result.error && describe(result.error) })
}

/** @param {RunState} state @param {import('holdpoint').HitlRequest} request @param {string} who */
function decide(state, request, who) {
  switch (Math.floor(Math.random() * 4)) {
    case 0:
      return state.reject(request, { by: who, message: `no, says ${who}` })
    case 1:
      if (request.toolName !== 'refund') return state.approve(request, { by: who })
      return state.edit(request, { by: who, args: { ...request.args, amount: 1 } })
    default:
      return state.approve(request, { by: who })
  }
}

/** @param {string} threadId @param {string} who */
async function contend(threadId, who) {
  if (contest.steps.includes('run')) {
    await refusable(threadId, who, async () => {
      returned(threadId, who, await run(agent, `an order from ${who}`, { threadId, store }))
      log({ kind: 'heard', threadId, who })
    })
  }
  for (;;) {
    const state = await RunState.load(agent, { threadId, store })
    if (state.status !== 'open') return
    if (contest.steps.includes('decide')) {
      for (const request of state.interruptions) {
        await refusable(threadId, who, async () => {
          const { decision } = await decide(state, request, who)
          log({ kind: 'won', threadId, who, requestId: request.id, type: decision?.type })
        })
      }
    }
    if (!contest.steps.includes('resume')) return
    await refusable(threadId, who, async () => returned(threadId, who, await run(agent, state)))
    await sleep(Math.random() * 10)
  }
}

await sleepUntil(contest.startAt)
await Promise.all(
  contest.threads.flatMap((threadId) =>
    Array.from({ length: contest.promises }, (_, index) => contend(threadId, `${contest.name}.${index}`)),
  ),
)
await store.close()
