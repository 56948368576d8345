import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from 'holdpoint'
import { openDesk } from 'holdpoint'
import { onTestFinished } from 'vitest'
import { ROOT } from '../../scripts/lib/root.js'
import { readLines } from '../crash/support/children.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { until } from '../support/until.ts'
import type { Decider } from './decider.js'
import type { Work } from './process.js'

/** A payment, as the tools note it outside of the store. */
interface Payment {
  threadId: string
  pid: number
  fencingToken: number
}

/** A store, a log of effects, and worker processes on them. All are gone when the test is over. */
export interface Machines {
  readonly store: Store
  payments(): Payment[]
  /** Starts a worker process. Resolves once it takes wake-ups. */
  start(options?: Partial<Work>): Promise<ChildProcess>
  /** Lets another process decide a request; it is killed right after its commit. */
  decideAndDie(request: string): Promise<void>
  /** A path of the test's own. */
  file(name: string): string
}

/** How long a lease lasts here. */
export const LEASE_MS = 600

/** Makes a place for worker processes on one SQLite file. */
export function machines(): Machines {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-worker-'))
  const file = (name: string): string => join(dir, name)
  const [path, effects] = [file('store.db'), file('effects')]
  const store = storeAt(path, { durability: 'process' })
  const children: ChildProcess[] = []
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL')
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const run = (program: string, work: object): ChildProcess => {
    const child = spawn(process.execPath, [join(ROOT, 'test/worker', program), JSON.stringify(work)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    return child
  }
  return {
    store,
    file,
    payments: () => readLines<Payment>(effects),
    async start(options = {}) {
      const work: Work = { path, effects, leaseMs: LEASE_MS, ...options }
      const child = run('process.js', work)
      await new Promise((resolve) => child.stdout?.once('data', resolve))
      return child
    },
    async decideAndDie(request) {
      const work: Decider = { path, request }
      await ended(run('decider.js', work))
    },
  }
}

/** Resolves when a process has ended, with the signal that ended it. */
export function ended(child: ChildProcess): Promise<NodeJS.Signals | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.signalCode)
  return new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)))
}

/** Whether a process is stopped by SIGSTOP. */
export function isFrozen({ pid }: ChildProcess): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat[stat.lastIndexOf(')') + 2] === 'T'
}

/**
 * Waits until the run of a thread is over, and plays the person meanwhile: approves what was not paid, and does not let a call whose outcome is unknown
 * pay again if the bank has seen it.
 */
export async function finish({ store, payments }: Machines, threadId: string): Promise<void> {
  await until(async () => {
    const { entries } = await store.read(threadId)
    if (entries.some(({ body }) => JSON.parse(body).type === 'run.settled')) return true
    const { requests } = await store.findRequests({ threadId, status: 'open' })
    const isPaid = payments().some((payment) => payment.threadId === threadId)
    for (const { id, opened } of requests) {
      const isUnknown = JSON.parse(opened.body).reason === 'unknown_outcome'
      const decision =
        isUnknown && isPaid ? ({ type: 'reject', message: 'it was paid' } as const) : ({ type: 'approve' } as const)
      await openDesk({ store }).decide({ request: id, decision, by: 'ann' })
    }
    return false
  })
}
