// @ts-check
import { measure } from '../lib/measure.js'
import { withPostgres } from '../lib/postgres-server.js'
import { judge, ms, times } from '../lib/table.js'

const TURNS = 10
const LANES = 32

/** The whole durable approve cycle on Postgres, next to LangChain's and DBOS', alone and many at once. @param {{ quick: boolean }} options @returns {Promise<import('../lib/table.js').Line[]>} */
export async function postgres({ quick }) {
  return [...(await measured(1, quick)), ...(await measured(LANES, quick))]
}

/** @param {number} lanes @param {boolean} quick @returns {Promise<import('../lib/table.js').Line[]>} */
async function measured(lanes, quick) {
  const title = `durable cycle on Postgres, ${TURNS} prior tool turns${lanes === 1 ? '' : `, ${lanes} at once`}`
  const found = await withPostgres((url) => {
    const params = { dir: '', turns: TURNS, url, lanes }
    const subjects = ['holdpoint', 'langchain', 'dbos'].map((name) => ({ name, module: `${name}-postgres`, params }))
    return measure(title, subjects, {
      rounds: quick ? 5 : 15,
      warmUpMs: quick ? 2000 : 5000,
      turnMs: quick ? 150 : 300,
      // The server works too, so a process of its own seldom has a processor all the time.
      patienceMs: (quick ? 4 : 20) * 1000,
      minShare: 0.2,
    })
  })
  const [langchain, dbos] = [found.ratio('langchain', 'holdpoint'), found.ratio('dbos', 'holdpoint')]
  return [
    { what: `${title}: LangChain ÷ holdpoint`, measured: times(langchain), ...judge(langchain, '≥', 5) },
    { what: '  DBOS ÷ holdpoint', measured: times(dbos), ...judge(dbos, '≥', lanes === 1 ? 2 : 3) },
    ...['holdpoint', 'langchain', 'dbos'].map((name) => ({ what: `  ${name}`, measured: ms(found.time(name)) })),
  ]
}
