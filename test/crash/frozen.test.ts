import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as holdpoint from 'holdpoint'
import { type Agent, type RunResult, RunState, run, type Store, ThreadBusy } from 'holdpoint'
import { expect, it, onTestFinished } from 'vitest'
import { ROOT } from '../../scripts/lib/root.js'
import { storeAt } from '../support/stores/stored-at.js'
import { until } from '../support/until.ts'
import { createCashier } from './support/cashier.js'
import { readLines } from './support/children.ts'
import type { Work } from './support/frozen.js'

const threadId = 't'
const LEASE_MS = 1_200

it.each<[Work['freezeAt'], string]>([
  ['acknowledged', 'after its start was stored and before it heard of that'],
  ['hook', 'in a beforeTool hook'],
  ['step', 'after a step was recorded as started'],
])('an approved call does not start after its lease has gone: a process that was frozen %s (%s)', async (freezeAt) => {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-frozen-'))
  const path = join(dir, 'store.db')
  const effects = join(dir, 'effects')
  const store = storeAt(path, { durability: 'process' })
  let child: ChildProcess | undefined
  onTestFinished(async () => {
    child?.kill('SIGKILL')
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const tokens: number[] = []
  const agent = createCashier(holdpoint, {
    resumable: freezeAt === 'step',
    pay: ({ fencingToken }) => tokens.push(fencingToken),
  })
  const paused = await run(agent, 'pay', { store, threadId })
  await paused.state.approve(paused.interruptions[0]!)

  const work: Work = { path, threadId, effects, freezeAt, leaseMs: LEASE_MS }
  child = spawn(process.execPath, [join(ROOT, 'test/crash/support/frozen.js'), JSON.stringify(work)], {
    stdio: 'inherit',
  })
  const ended = new Promise((resolve) => child?.once('exit', resolve))
  await until(() => stateOf(child?.pid) === 'T')

  // Another process finds it started and not ended; the person says: forget it. Then the run goes on to its end.
  const asked = await takeOver(agent, store)
  expect(asked.interruptions[0]).toMatchObject({ reason: 'unknown_outcome' })
  await asked.state.reject(asked.interruptions[0]!, { message: 'forget it' })
  expect(await run(agent, asked.state)).toMatchObject({ status: 'completed', finalOutput: 'noted' })
  const { version } = await store.read(threadId)

  child.kill('SIGCONT')
  await ended
  expect(readLines(effects)).toEqual(['overtaken'])
  expect(tokens).toEqual([])
  expect((await store.read(threadId)).version).toBe(version)
})

/** Resumes as soon as the lease of the frozen process has run out. */
async function takeOver(agent: Agent, store: Store): Promise<RunResult> {
  for (;;) {
    try {
      return await run(agent, await RunState.load(agent, { threadId, store }))
    } catch (error) {
      if (!(error instanceof ThreadBusy)) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** The state of a process as the system tells it: T is stopped. */
function stateOf(pid: number | undefined): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat[stat.lastIndexOf(')') + 2] ?? ''
}
