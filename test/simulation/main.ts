import { type ParseArgsConfig, parseArgs } from 'node:util'
import { PLANTED } from './planted/bugs.ts'
import { search, shrink } from './search.ts'
import { simulate, warmUp } from './simulate.ts'
import { drawPlan } from './world/plan.ts'

const USAGE = `npm run simulate                           1000 schedules
npm run simulate -- --schedules N --from N   so many, from this seed on
npm run simulate -- --seed N                 the story of one seed
npm run simulate -- --planted                how many schedules each planted bug takes`

const OPTIONS = {
  seed: { type: 'string' },
  planted: { type: 'boolean', default: false },
  schedules: { type: 'string', default: '1000' },
  from: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
} satisfies NonNullable<ParseArgsConfig['options']>

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

async function tellSeed(seed: number): Promise<boolean> {
  const { story, violations, steps } = await simulate(drawPlan(seed))
  print([...story, `${steps} steps, ${violations.length} violations`].join('\n'))
  return violations.length === 0
}

async function findPlanted(seeds: readonly number[]): Promise<boolean> {
  print('| planted bug | guarantee | schedules |\n|---|---|---|')
  let isComplete = true
  for (const bug of PLANTED) {
    const counts = (problem: string) => bug.breaks.some((name) => problem.startsWith(name))
    const failure = await search(seeds, { bug, counts })
    isComplete &&= failure !== undefined
    const broken = failure?.outcome.violations.find(counts)?.split(':')[0] ?? 'NOT FOUND'
    print(`| ${bug.name} | ${broken} | ${failure?.schedules ?? `more than ${seeds.length}`} |`)
  }
  return isComplete
}

async function searchAll(seeds: readonly number[]): Promise<boolean> {
  const failure = await search(seeds)
  const { user, system } = process.cpuUsage()
  if (!failure) {
    print(`${seeds.length} schedules, no violation, ${Math.round((user + system) / 1e6)} s of CPU`)
    return true
  }
  const { plan, outcome } = await shrink(failure)
  print(`seed ${failure.plan.seed} fails. Shrunk: ${JSON.stringify(plan)}\n${outcome.story.join('\n')}`)
  return false
}

function numberOf(name: string, given: string): number {
  const value = Number(given)
  if (!/^\d+$/.test(given) || !Number.isSafeInteger(value))
    throw new Error(`--${name} takes a whole number, not ${given}`)
  return value
}

/** What the command line asks for. */
function wanted(): () => Promise<boolean> {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help)
    return async () => {
      print(USAGE)
      return true
    }
  const { seed, planted } = values
  if (seed !== undefined) {
    const one = numberOf('seed', seed)
    return () => tellSeed(one)
  }
  const first = numberOf('from', values.from)
  const seeds = Array.from({ length: numberOf('schedules', values.schedules) }, (_, index) => first + index)
  return () => (planted ? findPlanted(seeds) : searchAll(seeds))
}

function tryWanted(): (() => Promise<boolean>) | undefined {
  try {
    return wanted()
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`)
    return undefined
  }
}

const act = tryWanted()
if (act) await warmUp()
process.exitCode = (await act?.()) ? 0 : 1
