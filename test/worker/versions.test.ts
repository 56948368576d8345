import { expect, it } from 'vitest'
import { z } from 'zod'
import { definePolicy } from '../../src/policy/define-policy.ts'
import { humanInTheLoop } from '../../src/policy/human-in-the-loop.ts'
import type { Model } from '../../src/ports/model.ts'
import type { Store } from '../../src/ports/store.ts'
import {
  InputInvalid,
  PolicyInvalid,
  ThreadBusy,
  ThreadNotFound,
  VersionUnavailable,
} from '../../src/protocol/errors/errors.ts'
import type { Agent } from '../../src/runtime/agent/agent.ts'
import { tool } from '../../src/runtime/definition/tool/tool.ts'
import { run } from '../../src/runtime/run/run.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import { abortRun } from '../../src/worker/shared/abort-run.ts'
import { liveRoutes } from '../../src/worker/shared/live-workers.ts'
import { moveRun } from '../../src/worker/shared/move-run.ts'
import { routeOf } from '../../src/worker/shared/routes.ts'
import { putDeadLetter, STUCK } from '../../src/worker/shared/stuck.ts'
import { stuckThreads } from '../../src/worker/shared/stuck-threads.ts'
import { latch } from '../support/latch.ts'
import { until } from '../support/until.ts'
import { asked, decide, over, type PayerOptions, payer, type Scene, scene } from './scene.ts'

/** The same agent in several versions, each of which notes its version when it pays. */
function versions() {
  const paid: string[] = []
  const make = (version: string, options: PayerOptions = {}) =>
    payer({ version, pay: ({ threadId }) => paid.push(`${threadId} ${version}`), ...options })
  return { paid, make }
}

it('a paused run goes on with the version that it began on, while another stands beside it', async () => {
  const { store, start } = scene()
  const { paid, make } = versions()
  await start(make('1'))
  await enqueueRun(store, { agent: make('1'), threadId: 'old', input: 'pay' })
  await asked(store, 'old')
  await start([make('2')])
  await start([make('2')])
  await enqueueRun(store, { agent: make('2'), threadId: 'new', input: 'pay' })
  for (const threadId of ['old', 'new']) await decide(store, threadId)
  await over(store, 'old', 'new')
  expect(paid.sort()).toEqual(['new 2', 'old 1'])
})

it('one worker may have both versions', async () => {
  const { store, start } = scene()
  const { paid, make } = versions()
  await start([make('1'), make('2')])
  for (const version of ['1', '2']) await enqueueRun(store, { agent: make(version), threadId: version, input: 'pay' })
  for (const threadId of ['1', '2']) await decide(store, threadId)
  await over(store, '1', '2')
  expect(paid.sort()).toEqual(['1 1', '2 2'])
  await expect(start([make('1'), make('1')])).rejects.toThrow('twice')
})

it('a thread whose version no live worker has stays ready, is listed with the reason, and is driven once there is one', async () => {
  const { store, start } = scene()
  const { paid, make } = versions()
  const first = await start(make('1'))
  expect(await liveRoutes(store)).toEqual(new Set([routeOf('payer', '1')]))
  await enqueueRun(store, { agent: make('1'), threadId: 't', input: 'pay' })
  await asked(store, 't')
  await until(() => first.status().active === 0)
  await first.stop()
  await start(make('2'))
  expect(await stuckThreads(store)).toEqual([])
  await decide(store, 't')
  expect(await stuckThreads(store)).toMatchObject([
    { threadId: 't', reason: 'no_worker', agent: 'payer', version: '1', liveVersions: ['2'], tries: 0 },
  ])
  expect(await stuckThreads(store.tenant('other'))).toEqual([])
  expect((await store.ready()).threads).toHaveLength(1)
  await start(make('1'))
  await over(store, 't')
  expect(paid).toEqual(['t 1'])
  expect(await stuckThreads(store)).toEqual([])
})

it('a thread that is due and that nobody takes up is listed as overdue', async () => {
  const { store, start } = scene()
  const entered = latch()
  const agent = payer({ needsApproval: false, pay: () => entered.passed })
  const worker = await start(agent, { concurrency: 1, sweepMs: 600_000 })
  await enqueueRun(store, { agent, threadId: 'a', input: 'pay' })
  await until(() => worker.status().active === 1)
  await enqueueRun(store, { agent, threadId: 'b', input: 'pay' })
  expect(await stuckThreads(store)).toEqual([])
  expect(await stuckThreads(store, { overdueMs: 0 })).toMatchObject([{ threadId: 'b', reason: 'overdue' }])
  entered.open()
  await over(store, 'a', 'b')
})

/** Starts a worker, waits until it has asked about the call of a thread, and stops it. */
async function askedAndStopped({ store, start }: Scene, agent: Agent): Promise<void> {
  const worker = await start(agent)
  await enqueueRun(store, { agent, threadId: 't', input: 'pay', toolExecution: { start: 'settled' } })
  await asked(store, 't')
  await until(() => worker.status().active === 0)
  await worker.stop()
}

it('an operator moves a run to another version: the journal records who and why, and the call is judged again', async () => {
  const place = scene()
  const { store } = place
  const { paid, make } = versions()
  await askedAndStopped(place, make('1'))
  await decide(store, 't')
  const move = { threadId: 't', to: '2', by: 'olga', reason: 'version 1 is gone' }
  await expect(moveRun(store, move)).rejects.toThrow(VersionUnavailable)
  const strict = definePolicy(() => ({ verdict: 'deny', reason: 'no more payments' }), { name: 'strict', version: '1' })
  await place.start(make('2', { policy: strict }))
  expect(await moveRun(store, move)).toBe(true)
  await over(store, 't')
  expect(paid).toEqual([])
  const entries = (await store.read('t')).entries.map(({ body }) => JSON.parse(body))
  const who = { by: { kind: 'person', id: 'olga' }, reason: 'version 1 is gone' }
  expect(entries.find(({ type }) => type === 'run.moved')).toMatchObject({
    agent: { id: 'payer', version: '2' },
    ...who,
  })
  expect(entries.find(({ type }) => type === 'call.refused').result.content).toContain('no more payments')
  await expect(moveRun(store, move)).rejects.toThrow(ThreadNotFound)
})

it('a moved call that a person approved runs on the new version', async () => {
  const place = scene()
  const { paid, make } = versions()
  await askedAndStopped(place, make('1'))
  await decide(place.store, 't')
  await place.start(make('2'))
  const move = { threadId: 't', to: '2', by: 'olga', reason: 'gone' }
  expect(await moveRun(place.store, move)).toBe(true)
  await over(place.store, 't')
  expect(paid).toEqual(['t 2'])
})

it('a worker that has read a thread before its run is moved leaves it to the new version', async () => {
  const store = memoryStore()
  const place = scene({ store })
  const { paid, make } = versions()
  let isMoved = false
  /** An operator is faster than the first append of the worker that has the old version. */
  const slow: Store = {
    ...store,
    tenant: () => slow,
    async append(append) {
      if (append.lease?.op === 'take' && !isMoved) {
        isMoved = true
        await moveRun(store, { threadId: 't', to: '2', by: 'olga', reason: 'a new version', force: true })
      }
      return store.append(append)
    },
  }
  await place.start(make('1', { needsApproval: false }), { store: slow })
  await enqueueRun(store, { agent: make('1'), threadId: 't', input: 'pay' })
  await until(() => isMoved)
  await place.start(make('2', { needsApproval: false }))
  await over(store, 't')
  expect(paid).toEqual(['t 2'])
})

it('a moved call that the old version let run is asked about if the new version asks', async () => {
  const place = scene()
  const { store } = place
  const done: string[] = []
  const make = (version: string, needsApproval: boolean) => {
    const own = (name: string, asks: boolean) =>
      tool({
        name,
        description: name,
        parameters: z.object({}),
        needsApproval: asks,
        execute: async () => void done.push(`${name} ${version}`),
      })
    const model: Model = {
      async respond({ messages }) {
        if (messages.at(-1)?.role === 'tool') return { content: 'done' }
        return { toolCalls: ['look', 'pay'].map((name) => ({ id: name, name, args: {} })) }
      },
    }
    return payer({ version, model, tools: [own('look', needsApproval), own('pay', true)] })
  }
  await askedAndStopped(place, make('1', false))
  await place.start(make('2', true))
  expect(await moveRun(store, { threadId: 't', to: '2', by: 'olga', reason: 'gone' })).toBe(true)
  await decide(store, 't')
  const again = await asked(store, 't')
  const { opened } = (await store.getRequest(again))!
  expect(JSON.parse(opened.body)).toMatchObject({ toolName: 'look', reason: 'policy_changed' })
  expect(done).not.toContain('look 2')
  await decide(store, 't')
  await over(store, 't')
  expect(done.sort()).toEqual(['look 2', 'pay 2'])
})

it('an operator ends a run whose version is gone: it is on record, its requests are closed and nothing runs', async () => {
  const place = scene()
  const { store } = place
  const { paid, make } = versions()
  await askedAndStopped(place, make('1'))
  await decide(store, 't')
  expect(await stuckThreads(store)).toMatchObject([{ threadId: 't', reason: 'no_worker' }])
  const abort = { threadId: 't', by: 'olga', reason: 'version 1 is gone' }
  await expect(abortRun(store, { ...abort, reason: ' ' })).rejects.toThrow(InputInvalid)
  await expect(abortRun(store, { ...abort, threadId: 'none' })).rejects.toThrow(ThreadNotFound)
  expect(await abortRun(store, abort)).toBe(true)
  expect(await abortRun(store, abort)).toBe(false)
  expect(await stuckThreads(store)).toEqual([])
  const entries = (await store.read('t')).entries.map(({ body }) => JSON.parse(body))
  expect(entries.at(-1)).toMatchObject({
    type: 'run.settled',
    status: 'aborted',
    by: { kind: 'person', id: 'olga' },
    reason: 'version 1 is gone',
  })
  await place.start(make('1'))
  await enqueueRun(store, { agent: make('1'), threadId: 'u', input: 'pay' })
  await asked(store, 'u')
  expect(paid).toEqual([])
})

it('a run that was given up is ended together with its dead letter, and no request of it stays open', async () => {
  const { store } = scene()
  await run(payer(), 'pay', { store, threadId: 't' })
  const id = await asked(store, 't')
  const { version } = await store.read('t')
  const letter = { error: { message: 'away' }, tries: 9, agent: 'payer', version: null, length: version }
  await store.writeRecords([putDeadLetter('t', letter)])
  expect(await stuckThreads(store)).toMatchObject([{ threadId: 't', reason: 'dead' }])
  expect(await abortRun(store, { threadId: 't', by: 'olga', reason: 'enough' })).toBe(true)
  expect((await store.getRequest(id))?.status).toBe('aborted')
  expect((await store.findRecords({ kind: STUCK })).records).toEqual([])
})

it('a call that had started when its run was ended is on record with an unknown outcome, not as one that never ran', async () => {
  const { store } = scene()
  await run(payer(), 'pay', { store, threadId: 't' })
  await decide(store, 't')
  const { entries, version, head } = await store.read('t')
  const released = entries.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'call.released')
  // Its process is gone after this.
  const started = JSON.stringify({ v: 1, type: 'call.started', call: released.call, attempt: 1 })
  await store.append({ threadId: 't', version, head, entries: [started] })
  expect(await abortRun(store, { threadId: 't', by: 'olga', reason: 'enough' })).toBe(true)
  const ends = (await store.read('t')).entries
    .map(({ body }) => JSON.parse(body))
    .filter(({ call }) => call !== undefined)
  expect(ends.at(-1)).toMatchObject({
    type: 'call.refused',
    cause: 'unknown',
    result: { isError: true, content: expect.stringMatching(/^aborted: enough\. pay was started/) },
  })
})

it('a run is neither moved nor ended while a process drives it', async () => {
  const { store, start } = scene()
  const [entered, mayEnd] = [latch(), latch()]
  const agent = payer({
    version: '1',
    needsApproval: false,
    pay: () => {
      entered.open()
      return mayEnd.passed
    },
  })
  await start(agent)
  await enqueueRun(store, { agent, threadId: 't', input: 'pay' })
  await entered.passed
  const move = { threadId: 't', to: '2', by: 'olga', reason: 'gone', force: true }
  await expect(moveRun(store, move)).rejects.toThrow(ThreadBusy)
  await expect(abortRun(store, { threadId: 't', by: 'olga', reason: 'enough' })).rejects.toThrow(ThreadBusy)
  await expect(moveRun(store, { ...move, reason: ' ' })).rejects.toThrow(InputInvalid)
  mayEnd.open()
  await over(store, 't')
})

it('the policies of a worker judge runs that began before them, also where the agent keeps its old verdicts', async () => {
  for (const onPolicyChange of ['ask', 'keep'] as const) {
    const { store, start } = scene()
    const { paid, make } = versions()
    const agent = make('1', { onPolicyChange })
    const first = await start(agent)
    await enqueueRun(store, { agent, threadId: 't', input: 'pay' })
    await asked(store, 't')
    await until(() => first.status().active === 0)
    await first.stop()
    await decide(store, 't')
    const freeze = definePolicy(() => ({ verdict: 'deny', reason: 'payments are frozen' }), {
      name: 'freeze',
      version: '1',
    })
    await start(agent, { policies: [freeze] })
    await over(store, 't')
    expect(paid).toEqual([])
    const bodies = (await store.read('t')).entries.map(({ body }) => body).join('\n')
    expect(bodies).toContain('payments are frozen')
  }
})

it('a policy of a worker may name a tool that only one of its agents has, and no unknown tool', async () => {
  const { start } = scene()
  const plain = payer({ id: 'plain', tools: [] })
  await start([payer(), plain], { policies: [humanInTheLoop({ interruptOn: { pay: true } })] })
  const typo = start(payer(), { policies: [humanInTheLoop({ interruptOn: { apy: true } })] })
  await expect(typo).rejects.toThrow(PolicyInvalid)
})
