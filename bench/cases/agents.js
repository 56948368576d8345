// @ts-check

import { judge, ms, times } from '../lib/report/table.js'
import { CALLS, LEVELS, PARTS } from '../lib/subject/agents-scenario.js'
import { measure } from '../lib/subject/measure.js'
import { createHoldpointAgents } from '../peers/holdpoint-agents.js'
import { createOpenAiAgents } from '../peers/openai-agents.js'

/** @typedef {import('../lib/report/table.js').Line} Line */

const CASES = [
  { what: 'plain', title: `run of ${CALLS} tool calls that nobody approves` },
  { what: 'gated', title: `${CALLS} calls at once: paused, all approved, done` },
  { what: 'nested', title: `approval ${LEVELS.length} agents deep, through text` },
  { what: 'first', title: 'streamed run, from its call to the first part' },
  { what: 'stream', title: `streamed answer of ${PARTS} parts, read to its end` },
]

const APPROVALS = 100
/** How long the arguments are. */
const REASONS = [20, 1000]

/**
 * Plain calls, calls at once, agents inside agents and streams, all in memory, and how a text grows.
 *
 * @param {{ quick: boolean }} options
 * @returns {Promise<Line[]>}
 */
export async function agents({ quick }) {
  const lines = []
  for (const one of CASES) lines.push(...(await next(one, quick)))
  for (const length of REASONS) lines.push(...(await sizes(length)))
  return lines
}

/** @param {{ what: string, title: string }} one @param {boolean} quick @returns {Promise<Line[]>} */
async function next({ what, title }, quick) {
  const names = ['holdpoint', 'openai']
  const measured = await measure(
    title,
    names.map((name) => ({ name, module: `${name}-agents`, params: { dir: '', turns: 0, what } })),
    { rounds: quick ? 5 : 15, warmUpMs: quick ? 1500 : 4000, turnMs: 100, patienceMs: (quick ? 6 : 30) * 1000 },
  )
  const { cpu, ...rest } = measured.ratio('openai', 'holdpoint')
  // The processor's time is that of the whole run.
  const ratio = what === 'first' ? rest : { ...rest, cpu }
  return [
    { what: `${title}: OpenAI SDK ÷ holdpoint`, measured: times(ratio), ...judge(ratio, '≥', 1) },
    ...names.map((name) => ({ what: `  ${name}`, measured: ms(measured.time(name)) })),
  ]
}

/** What one more approval adds to a paused run's text. @param {number} length @returns {Promise<Line[]>} */
async function sizes(length) {
  const [ours, theirs] = await Promise.all([
    perTurn(createHoldpointAgents(), length),
    perTurn(createOpenAiAgents(), length),
  ])
  const ratio = theirs.each / ours.each
  return [
    {
      what: `bytes that an approval turn adds to the text, ${length} characters of arguments: OpenAI SDK ÷ holdpoint`,
      target: '≥ 1×',
      measured: `${ratio.toFixed(2)}×`,
      ok: ratio >= 1,
    },
    { what: '  holdpoint', measured: `${ours.each} B; ${ours.whole} B after ${APPROVALS}` },
    { what: '  openai', measured: `${theirs.each} B; ${theirs.whole} B after ${APPROVALS}` },
  ]
}

/** @param {{ sizes: (approvals: number, length: number) => Promise<number[]> }} peer @param {number} length */
async function perTurn(peer, length) {
  const sizes = await peer.sizes(APPROVALS, length)
  const whole = sizes.at(-1) ?? 0
  // The first tenth has what a text has once.
  const from = APPROVALS / 10
  return { whole, each: Math.round((whole - (sizes[from] ?? 0)) / (APPROVALS - from)) }
}
