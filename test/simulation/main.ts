import { parseArgs } from 'node:util'
import { PLANTED } from './planted/bugs.ts'
import { search, shrink } from './search.ts'
import { simulate, warmUp } from './simulate.ts'
import { drawPlan } from './world/plan.ts'

const { values } = parseArgs({
  options: {
    /** Tells the story of one seed. */
    seed: { type: 'string' },
    /** Searches for every planted bug, and prints how many schedules that took. */
    planted: { type: 'boolean', default: false },
    /** How many schedules are searched. */
    schedules: { type: 'string', default: '1000' },
    /** The first seed. */
    from: { type: 'string', default: '1' },
  },
})

const count = Number(values.schedules)
const seeds = Array.from({ length: count }, (_, index) => Number(values.from) + index)

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

async function tellSeed(seed: number): Promise<boolean> {
  const { story, violations, steps } = await simulate(drawPlan(seed))
  print([...story, `${steps} steps, ${violations.length} violations`].join('\n'))
  return violations.length === 0
}

async function findPlanted(): Promise<boolean> {
  print('| planted bug | guarantee | schedules |\n|---|---|---|')
  let isComplete = true
  for (const bug of PLANTED) {
    const counts = (problem: string) => bug.breaks.some((name) => problem.startsWith(name))
    const failure = await search(seeds, { bug, counts })
    isComplete &&= failure !== undefined
    const broken = failure?.outcome.violations.find(counts)?.split(':')[0] ?? 'NOT FOUND'
    print(`| ${bug.name} | ${broken} | ${failure?.schedules ?? `more than ${count}`} |`)
  }
  return isComplete
}

async function searchAll(): Promise<boolean> {
  const failure = await search(seeds)
  const { user, system } = process.cpuUsage()
  if (!failure) {
    print(`${count} schedules, no violation, ${Math.round((user + system) / 1e6)} s of CPU`)
    return true
  }
  const { plan, outcome } = await shrink(failure)
  print(`seed ${failure.plan.seed} fails. Shrunk: ${JSON.stringify(plan)}\n${outcome.story.join('\n')}`)
  return false
}

await warmUp()
const isGood = values.seed ? await tellSeed(Number(values.seed)) : await (values.planted ? findPlanted() : searchAll())
process.exitCode = isGood ? 0 : 1
