// @ts-check
import { withPostgres } from '../lib/postgres/postgres-server.js'
import { ms, perSecond, times } from '../lib/report/table.js'
import { measure } from '../lib/subject/measure.js'

/** @typedef {import('../lib/report/table.js').Line} Line */

const TURNS = 10
const LANES = 32

/** The durable approve cycle of Restate, on its own server, next to holdpoint, DBOS and bare commits on Postgres: alone, and many at once. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function restate({ quick }) {
  const title = 'durable cycle next to Restate'
  const alone = await measured(title, 1, quick)
  const many = await measured(`${title}, ${LANES} at once`, LANES, quick)
  return [
    { what: `${title}: Restate ÷ holdpoint`, measured: times(alone.ratio('restate', 'holdpoint')) },
    ...NAMES.map((name) => ({ what: `  ${name}, p50`, measured: ms(alone.time(name)) })),
    {
      what: `${title}, ${LANES} at once: Restate ÷ holdpoint, time`,
      measured: times(many.ratio('restate', 'holdpoint')),
    },
    ...NAMES.map((name) => ({ what: `  ${name}`, measured: perSecond(many.time(name), LANES).text })),
  ]
}

const NAMES = ['holdpoint', 'restate', 'dbos', 'floor']

/** @param {string} title @param {number} lanes @param {boolean} quick */
function measured(title, lanes, quick) {
  return withPostgres((url) => {
    const specs = NAMES.map((name) => ({
      name,
      module: name === 'restate' ? 'restate-cycle' : `${name}-postgres`,
      params: { dir: '', turns: TURNS, url, lanes },
    }))
    return measure(title, specs, {
      rounds: quick ? 5 : 15,
      warmUpMs: quick ? 6000 : 20_000,
      turnMs: quick ? 300 : 600,
      patienceMs: (quick ? 4 : 20) * 1000,
      // Most of the work of Restate is in its server.
      minShare: 0.05,
    })
  })
}
