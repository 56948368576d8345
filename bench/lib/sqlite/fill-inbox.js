// @ts-check
import { progress } from '../report/progress.js'

/** @typedef {import('../../../dist/index.js').Store} Store */
/** @typedef {Parameters<Store['append']>[0]} Append */

export const AGENTS = 40
export const TOOLS = 60
export const ASSIGNEES = 500
const PER_THREAD = 10
/** Appends that are under way at once: the store commits them together. */
const AT_ONCE = 500

/**
 * Fills a store with requests through its own appends: ten to a thread, in their order of time. Of ten, two are open, two expired and six decided;
 * every third has an assignee, and half of the open ones a deadline far ahead. Nine of ten belong to the store's own tenant.
 *
 * @param {Store} store
 * @param {number} count
 * @returns {Promise<{ threads: number }>} how many threads the store's own tenant has
 */
export async function fillInbox(store, count) {
  const threads = Math.ceil(count / PER_THREAD)
  const began = performance.now()
  for (let from = 0; from < threads; from += AT_ONCE) {
    const appends = []
    for (let n = from; n < Math.min(from + AT_ONCE, threads); n++) {
      const view = n % 10 === 9 ? store.tenant('other') : store
      appends.push(view.append(threadOf(n)))
    }
    for (const outcome of await Promise.all(appends)) if (!outcome.ok) throw new Error('an append was refused')
    progress(bar(Math.min(from + AT_ONCE, threads) / threads, { count, seconds: (performance.now() - began) / 1000 }))
  }
  return { threads }
}

/** @param {number} part @param {{ count: number, seconds: number }} about */
function bar(part, { count, seconds }) {
  const full = Math.round(part * 20)
  const left = part === 0 ? 0 : (seconds / part) * (1 - part)
  const text = `${'█'.repeat(full)}${'░'.repeat(20 - full)} ${Math.round(part * 100)} %`
  return `inbox: filling ${count} requests ${text}, ${Math.round(left)} s left`
}

/** @param {number} n */
export function threadName(n) {
  return `order-${String(n).padStart(7, '0')}`
}

/** @param {number} n @returns {Append} */
function threadOf(n) {
  /** @type {string[]} */
  const entries = []
  /** @type {NonNullable<Append['requests']>[number][]} */
  const requests = []
  for (let i = 0; i < PER_THREAD; i++) {
    const at = n * PER_THREAD + i
    const hex = at.toString(16).padStart(8, '0')
    const id = `0190${hex.slice(0, 4)}-${hex.slice(4)}-7000-8000-${mixed(at, 5).toString(16).padStart(12, '0')}`
    const agent = `agent-${mixed(at, 1) % AGENTS}`
    const toolName = `tool-${mixed(at, 2) % TOOLS}`
    const assignee = mixed(at, 3) % 3 === 0 ? `person-${mixed(at, 4) % ASSIGNEES}` : undefined
    const expiresAt = i === 0 ? Date.UTC(2100, 0, 1) + at : undefined
    const opened = {
      v: 1,
      type: 'request.opened',
      id,
      questionId: `call_${at}`,
      kind: 'approve',
      run: `run-${n}`,
      call: `run-${n}/1.${i}`,
      agent,
      path: [agent],
      toolName,
      toolCallId: `call_${at}`,
      args: { orderId: n, cents: at % 10_000, reason: 'It arrived broken, and the customer has sent a photo of it.' },
      definition: 'f'.repeat(43),
      digest: 'd'.repeat(43),
      allowedDecisions: ['approve', 'edit', 'reject', 'respond'],
      ...(assignee === undefined ? {} : { assignee }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
    const row = { id, questionId: opened.questionId, kind: /** @type {const} */ ('approve'), agent, tool: toolName }
    const found = { assignee: assignee ?? null, expiresAt: expiresAt ?? null }
    requests.push({ op: 'open', entry: entries.length, row: { ...row, ...found } })
    entries.push(JSON.stringify(opened))
    if (i < 2) continue
    const status = i < 4 ? 'expired' : 'decided'
    requests.push({ op: 'change', entry: entries.length, id, from: 1, status })
    entries.push(JSON.stringify(changeOf({ id, call: opened.call, status })))
  }
  return { threadId: threadName(n), entries, requests }
}

/** @param {{ id: string, call: string, status: 'expired' | 'decided' }} request */
function changeOf({ id, call, status }) {
  const common = { v: 1, id, call, version: 2 }
  return status === 'expired'
    ? { ...common, type: 'request.closed', status, by: { kind: 'time', id: 'deadline' } }
    : { ...common, type: 'request.decided', decision: { type: 'approve' }, by: { kind: 'person', id: 'ann' } }
}

/** Looks random, and is the same in every run. @param {number} n @param {number} salt */
function mixed(n, salt) {
  let hash = Math.imul(n ^ (salt * 0x9e3779b1), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35)
  return (hash ^ (hash >>> 13)) >>> 0
}
