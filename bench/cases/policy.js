// @ts-check
import { measure } from '../lib/measure.js'
import { judge, ms, times } from '../lib/table.js'

const RULES = 1000

/** What a policy adds to a plain tool call that nobody has to approve. @param {{ quick: boolean }} options @returns {Promise<import('../lib/table.js').Line[]>} */
export async function policy({ quick }) {
  const subject = (/** @type {string} */ name, /** @type {number} */ rules) => ({
    name,
    module: 'policy-call',
    params: { dir: '', turns: 0, rules },
  })
  const measured = await measure(
    'a plain tool call under a policy',
    [subject('no policy', 0), subject('one rule', 1), subject('many rules', RULES)],
    { rounds: quick ? 15 : 41, warmUpMs: quick ? 1500 : 3000, turnMs: 100, patienceMs: (quick ? 6 : 30) * 1000 },
  )
  const whole = measured.ratio('many rules', 'no policy')
  return [
    { what: `tool call under ${RULES} rules ÷ without a policy`, measured: times(whole), ...judge(whole, '≤', 1.05) },
    { what: '  under 1000 rules ÷ under one', measured: times(measured.ratio('many rules', 'one rule')) },
    { what: '  without a policy', measured: ms(measured.time('no policy')) },
    { what: '  under 1000 rules', measured: ms(measured.time('many rules')) },
  ]
}
