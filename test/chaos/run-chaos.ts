import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import { redrive } from '../../src/worker/shared/redrive.ts'
import { stuckThreads } from '../../src/worker/shared/stuck-threads.ts'
import { checkAll } from '../support/checker/check.ts'
import { pause } from '../support/until.ts'
import { makeTrouble } from './faults.ts'
import { checkOutcomes, nameOf } from './outcomes.ts'
import { patiently } from './patiently.ts'
import { type People, seatPeople } from './people.ts'
import { openPlace, type Place } from './place.ts'
import { type Plan, type PlannedThread, TENANTS, tellFault } from './plan.ts'

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
    const pending: Pending = new Map()
    const progress = setInterval(() => tell(tellProgress(place, people, pending)), 5000)
    try {
      await goThrough(plan, place, { tell, pending })
      const began = performance.now()
      await settle(place, pending, { tell, settleMs })
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

/** The runs that are not over, each with the version up to which its journal was read. */
type Pending = Map<PlannedThread, number>

/** Enqueues the runs and makes the faults happen, each at its time. */
async function goThrough(
  { threads, faults, forMs }: Plan,
  place: Place,
  { tell, pending }: { tell: ChaosOptions['tell']; pending: Pending },
): Promise<void> {
  const began = performance.now()
  const at = (ms: number): Promise<void> => pause(Math.max(0, ms - (performance.now() - began)))
  const trouble = makeTrouble(place)
  const happening: Promise<void>[] = []
  const enqueueing = (async () => {
    for (const thread of threads) {
      const { tenantId, threadId, kind, version } = thread
      await at(thread.atMs)
      pending.set(thread, 0)
      const input = JSON.stringify({ kind })
      const run = { agent: { id: 'clerk', version }, threadId, runId: threadId, input, context: tenantId }
      await patiently(() => enqueueRun(place.store.tenant(tenantId), run))
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
async function settle({ store }: Place, pending: Pending, { tell, settleMs }: ChaosOptions): Promise<void> {
  let end = performance.now() + settleMs
  const retried = new Set<string>()
  /** Faults that lasted may have moved the next try of a thread far away, or have made a worker give it up. */
  const retry = async (thread: { tenantId: string; threadId: string }): Promise<void> => {
    if (retried.has(nameOf(thread))) return
    retried.add(nameOf(thread))
    tell(`          an operator retries ${nameOf(thread)}`)
    await patiently(() => redrive(store.tenant(thread.tenantId), thread.threadId))
  }
  while (pending.size > 0 && performance.now() < end) {
    for (const [thread, after] of pending) {
      const own = store.tenant(thread.tenantId)
      const { entries, version, wake, now } = await patiently(() => own.read(thread.threadId, { after }))
      pending.set(thread, version)
      if (entries.some(({ body }) => JSON.parse(body).type === 'run.settled')) {
        pending.delete(thread)
        end = performance.now() + settleMs
      } else if (wake.tries > 0 && wake.at !== null && wake.at > now) await retry(thread)
    }
    for (const { tenantId } of TENANTS)
      for (const { threadId, reason } of await patiently(() => stuckThreads(store.tenant(tenantId))))
        if (reason === 'dead') await retry({ tenantId, threadId })
    await pause(200)
  }
}

async function judge(plan: Plan, { store, effects: log }: Place, { acknowledged }: People): Promise<string[]> {
  const effects = log.all()
  const tenants = TENANTS.map(({ tenantId, person }) => ({
    tenantId,
    threads: plan.threads.filter((thread) => thread.tenantId === tenantId).map(({ threadId }) => threadId),
    people: [person],
  }))
  const seen = effects.map(({ amount, answer, ...effect }) => ({
    ...effect,
    args: { ...(amount === null ? {} : { amount }), ...(answer === null ? {} : { answer: JSON.parse(answer) }) },
  }))
  const problems = await checkAll(tenants, { store, acknowledged, effects: seen, isOver: true })
  return [...problems, ...checkOutcomes({ threads: plan.threads, effects, acknowledged })]
}

function tellProgress({ effects }: Place, { acknowledged }: People, pending: Pending): string {
  return `          ${pending.size} threads under way, ${acknowledged.length} decisions, ${effects.count()} tools started`
}
