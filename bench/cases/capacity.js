// @ts-check
import { readFileSync, writeFileSync } from 'node:fs'
import { calibrate, openScreens, warmUp } from '../lib/capacity/calibrate.js'
import { withInstallation } from '../lib/capacity/installation.js'
import { play } from '../lib/capacity/play.js'
import { compare, tellCosts, tellNeeds } from '../lib/capacity/report.js'
import { withPostgres } from '../lib/postgres/postgres-server.js'
import { progress } from '../lib/report/progress.js'

/** @typedef {import('../lib/report/table.js').Line} Line */
/** @typedef {import('../lib/capacity/installation.js').Installation} Installation */
/** @typedef {import('../lib/capacity/model.js').Parameters} Parameters */

const RECORDED = new URL('../lib/capacity/parameters.json', import.meta.url)
/** The first one gives the parameters. Every commit is offered to every screen, so the more screens there are the fewer commits fit here. */
const SIZES = [
  { open: 1000, people: 100, perSecond: 4 },
  { open: 10_000, people: 250, perSecond: 2 },
  { open: 100_000, people: 500, perSecond: 1.5 },
]
/** What is counted must not depend on when the server tidies up. */
const SETTINGS = ['autovacuum=off', 'full_page_writes=off', 'checkpoint_timeout=1h']

/** Small installations, predicted by a model whose parameters are those of the smallest. @param {{ quick: boolean, predict: boolean, record: boolean }} options @returns {Promise<Line[]>} */
export async function capacity({ quick, predict, record }) {
  if (predict) return tellNeeds(JSON.parse(readFileSync(RECORDED, 'utf8')))
  if (quick && record) throw new Error('--quick measures too little to be recorded')
  return withPostgres(async (url) => {
    const sizes = quick ? SIZES.slice(0, 2) : SIZES
    /** @type {Parameters | undefined} */
    let parameters
    const lines = []
    for (const size of sizes) {
      const first = parameters === undefined
      const { found, ...checked } = await withInstallation(url, size, async (installation) => {
        const { people } = size
        const { bytesPerRequest: requestBytes } = installation
        progress(`capacity: ${people} people open their screens`)
        const memory = await openScreens(installation, people)
        await warmUp(installation, people)
        const costs = parameters?.costs ?? (await calibrate(installation, { people, seconds: quick ? 4 : 7 }))
        const found = parameters ?? { costs, ...memory, requestBytes }
        const played = await check(installation, { size, seconds: quick ? 5 : 10 })
        return { found, played, personBytes: memory.personBytes, requestBytes }
      })
      parameters = found
      lines.push(...compare(parameters, { size, first, factor: quick ? 2 : 1.5, ...checked }))
    }
    progress('')
    if (!parameters) throw new Error('no size was measured')
    if (record) writeFileSync(RECORDED, `${JSON.stringify(parameters, null, 2)}\n`)
    return [...lines, ...tellCosts(parameters), ...(quick ? [] : tellNeeds(parameters))]
  }, SETTINGS)
}

/** Everything at once: agents ask, people watch, read and decide, the worker resumes. @param {Installation} installation @param {{ size: (typeof SIZES)[number], seconds: number }} about */
function check(installation, { size, seconds }) {
  const { open, people, perSecond } = size
  progress(`capacity: ${people} people read and decide, ${open} requests wait`)
  return play(installation, { page: 2 * perSecond, open: perSecond, decision: perSecond }, seconds)
}
