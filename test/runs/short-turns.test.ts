import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Agent, run } from '../../src/index.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { temporaryFolder } from '../store/sqlite/harness.ts'

const THREADS = 200

test('models that answer 200 threads at once do not hold the event loop until all of them are recorded', async () => {
  const store = sqliteStore({ path: join(temporaryFolder(), 'store.db'), durability: 'process', thread: true })
  let turn = 0
  /** How many answers were recorded in each turn of the event loop. */
  const recorded = new Map<number, number>()
  const append = store.append
  store.append = (given) => {
    if (given.entries.some((body) => body.includes('"model.answered"')))
      recorded.set(turn, (recorded.get(turn) ?? 0) + 1)
    return append(given)
  }
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  let asked = 0
  const model = {
    name: 'slow',
    async respond() {
      asked += 1
      await answered
      return { content: 'Done.' }
    },
  }
  const agent = new Agent({ name: 'a', model })
  const runs = Promise.all(Array.from({ length: THREADS }, (_, n) => run(agent, 'go', { store, threadId: `t${n}` })))
  while (asked < THREADS) await new Promise((resolve) => setImmediate(resolve))
  answer()
  let isOver = false
  void runs.then(() => {
    isOver = true
  })
  for (; !isOver; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect((await runs).every(({ status }) => status === 'completed')).toBe(true)
  const counts = [...recorded.values()]
  expect(counts.reduce((sum, count) => sum + count)).toBe(THREADS)
  expect(Math.max(...counts)).toBeLessThan(THREADS / 2)
  await store.close()
})
