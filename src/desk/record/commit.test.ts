import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { memoryStore } from '../../store/memory/store.ts'
import { requestRow } from '../../testing/store-suite/tools.ts'
import { answerRequest } from '../answer/answer.ts'
import type { DeskStore } from '../options.ts'
import { commit } from './commit.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('a change that is refused every time is given up after a bounded number of tries, with pauses between them', async () => {
  let rounds = 0
  const given = commit('Thread t', async () => {
    rounds++
    return undefined
  })
  const refused = expect(given).rejects.toMatchObject({
    name: 'StoreContended',
    code: 'store_contended',
    retryable: true,
  })
  for (let tick = 0; tick < 50; tick++) await Promise.resolve()
  expect(rounds).toBe(4)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(rounds).toBeLessThan(20)
  await vi.advanceTimersByTimeAsync(10_000)
  await refused
  expect(rounds).toBe(40)
})

test('pauses have jitter, and only rounds after a pause are marked as such', async () => {
  const waited = new Set<number>()
  for (let other = 0; other < 5; other++) {
    const begin = performance.now()
    const paused: boolean[] = []
    const done = commit('Thread t', async (round) => {
      paused.push(round.paused)
      return paused.length === 12 ? { done: undefined } : undefined
    })
    await vi.runAllTimersAsync()
    await done
    waited.add(performance.now() - begin)
    expect(paused.indexOf(true)).toBe(4)
  }
  expect(waited.size).toBeGreaterThan(1)
})

test('a change that keeps being refused ends when its signal fires, at once', async () => {
  const abort = new AbortController()
  const reason = new Error('enough')
  let rounds = 0
  const given = commit(
    'Thread t',
    async () => {
      rounds++
      return undefined
    },
    abort.signal,
  )
  const refused = expect(given).rejects.toBe(reason)
  await vi.advanceTimersByTimeAsync(100)
  const before = rounds
  abort.abort(reason)
  await refused
  expect(rounds).toBe(before)
})

test('a signal that fired earlier does not prevent the first try', async () => {
  await expect(commit('Thread t', async () => ({ done: 1 }), AbortSignal.abort())).resolves.toBe(1)
})

test('a desk that is refused without end says so instead of trying for ever', async () => {
  const store = memoryStore()
  const opened = {
    v: 1,
    type: 'request.opened',
    id: '01890000-0000-7000-8000-000000000001',
    questionId: 'q',
    kind: 'confirm',
    agent: 'clerk',
    path: ['clerk'],
    allowedDecisions: [],
    prompt: 'Sure?',
  } as const
  const row = requestRow(1, { id: opened.id, kind: 'confirm' })
  await store.append({ threadId: 't', entries: [JSON.stringify(opened)], requests: [{ op: 'open', entry: 0, row }] })
  let appends = 0
  const refusing: DeskStore = {
    tenantId: store.tenantId,
    read: (threadId) => store.read(threadId),
    getRequest: (id) => store.getRequest(id),
    findRequests: (query) => store.findRequests(query),
    append: async () => {
      appends++
      return { ok: false, conflict: { kind: 'request', id: opened.id }, now: 0 }
    },
  }
  const desk = { store: refusing, newId: () => '', checkEdit: async () => undefined }
  const given = answerRequest(desk, { request: opened.id, answer: true, by: { kind: 'person', id: 'ann' } })
  const refused = expect(given).rejects.toMatchObject({ name: 'StoreContended' })
  await vi.runAllTimersAsync()
  await refused
  expect(appends).toBe(40)
})
