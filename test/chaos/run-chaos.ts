import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import { check } from '../support/checker/check.ts'
import { pause } from '../support/until.ts'
import { VERSION } from './clerk.js'
import { makeTrouble } from './faults.ts'
import { checkOutcomes } from './outcomes.ts'
import { patiently } from './patiently.ts'
import { type People, seatPeople } from './people.ts'
import { openPlace, type Place } from './place.ts'
import { type Plan, tellFault } from './plan.ts'

/** What came of a plan. */
export interface ChaosReport {
  /** Guarantees that do not hold, each with its thread. */
  readonly problems: readonly string[]
  /** How many bodies of tools ran, decisions were acknowledged, and how long everything took to settle after the last fault. */
  readonly effects: number
  readonly decisions: number
  readonly settledInMs: number
}

/** How a plan is carried out. */
export interface ChaosOptions {
  /** Is told each fault and how far it is. */
  tell(line: string): void
  /** After the last fault, some run must come to its end at least that often until all have. */
  settleMs: number
}

/** Carries a plan out on real servers and processes, and checks every guarantee on what is left. */
export async function runChaos(plan: Plan, { tell, settleMs }: ChaosOptions): Promise<ChaosReport> {
  const place = await openPlace(plan.queue)
  const ending = new AbortController()
  try {
    const people = seatPeople(place)
    const working = people.work(ending.signal)
    const pending = new Set<string>()
    const progress = setInterval(() => tell(tellProgress(place, people, pending)), 5000)
    try {
      await goThrough(plan, place, { tell, pending })
      const began = performance.now()
      await settle(place, pending, settleMs)
      const settledInMs = Math.round(performance.now() - began)
      ending.abort()
      await working
      if (people.errors.length > 0) throw new AggregateError(people.errors, `people met ${people.errors[0]}`)
      const problems = await judge(plan, place, people)
      const effects = place.effects.all().length
      return { problems, effects, decisions: people.acknowledged.length, settledInMs }
    } finally {
      clearInterval(progress)
    }
  } finally {
    ending.abort()
    await place.close()
  }
}

/** Enqueues the runs and makes the faults happen, each at its time. */
async function goThrough(
  { threads, faults, forMs }: Plan,
  place: Place,
  { tell, pending }: { tell: ChaosOptions['tell']; pending: Set<string> },
): Promise<void> {
  const began = performance.now()
  const at = (ms: number): Promise<void> => pause(Math.max(0, ms - (performance.now() - began)))
  const trouble = makeTrouble(place)
  const happening: Promise<void>[] = []
  const enqueueing = (async () => {
    for (const { threadId, kind, atMs } of threads) {
      await at(atMs)
      pending.add(threadId)
      const input = JSON.stringify({ kind })
      const agent = { id: 'clerk', version: VERSION }
      await patiently(() => enqueueRun(place.store, { agent, threadId, runId: threadId, input }))
    }
  })()
  for (const { atMs, fault } of faults) {
    await at(atMs)
    tell(`${String(Math.round(performance.now() - began)).padStart(6)} ms  ${tellFault(fault)}`)
    happening.push(trouble.happen(fault))
  }
  await at(forMs)
  await Promise.all([...happening, enqueueing])
  await trouble.calm()
}

/** Waits until every run has settled, or none has for a while: what is left is for the checker to name. */
async function settle({ store }: Place, pending: Set<string>, limitMs: number): Promise<void> {
  let end = performance.now() + limitMs
  while (pending.size > 0 && performance.now() < end) {
    for (const threadId of pending) {
      const { entries } = await patiently(() => store.read(threadId))
      if (!entries.some(({ body }) => JSON.parse(body).type === 'run.settled')) continue
      pending.delete(threadId)
      end = performance.now() + limitMs
    }
    await pause(200)
  }
}

async function judge(plan: Plan, { store, effects: log }: Place, { acknowledged }: People): Promise<string[]> {
  const effects = log.all()
  const threads = plan.threads.map(({ threadId }) => threadId)
  const problems = await check({
    ...{ store, threads, acknowledged, isOver: true },
    effects: effects.map(({ amount, ...effect }) => ({ ...effect, tenantId: 'default', args: { amount } })),
  })
  const taken = new Set(acknowledged.flatMap(({ kind, threadId }) => (kind === 'withdrawn' ? [threadId] : [])))
  return [...problems, ...checkOutcomes({ threads: plan.threads, effects, withdrawn: taken })]
}

function tellProgress({ effects }: Place, { acknowledged }: People, pending: ReadonlySet<string>): string {
  return `          ${pending.size} threads under way, ${acknowledged.length} decisions, ${effects.count()} tools started`
}
