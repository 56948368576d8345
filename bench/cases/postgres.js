// @ts-check
import { measure } from '../lib/measure.js'
import { withPostgres } from '../lib/postgres-server.js'
import { judge, ms, times } from '../lib/table.js'

const TURNS = 10

/** The whole durable approve cycle on Postgres, next to LangChain's. @param {{ quick: boolean }} options @returns {Promise<import('../lib/table.js').Line[]>} */
export async function postgres({ quick }) {
  const title = `durable cycle on Postgres, ${TURNS} prior tool turns`
  const measured = await withPostgres((url) => {
    const params = { dir: '', turns: TURNS, url }
    return measure(
      title,
      [
        { name: 'holdpoint', module: 'holdpoint-postgres', params },
        { name: 'langchain', module: 'langchain-postgres', params },
      ],
      {
        rounds: quick ? 5 : 15,
        warmUpMs: quick ? 2000 : 5000,
        turnMs: quick ? 150 : 300,
        // The server works too, so a process of its own seldom has a processor all the time.
        patienceMs: (quick ? 4 : 20) * 1000,
        minShare: 0.2,
      },
    )
  })
  const ratio = measured.ratio('langchain', 'holdpoint')
  return [
    { what: `${title}: LangChain ÷ holdpoint`, measured: times(ratio), ...judge(ratio, '≥', 5) },
    { what: '  holdpoint', measured: ms(measured.time('holdpoint')) },
    { what: '  langchain', measured: ms(measured.time('langchain')) },
  ]
}
