import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Agent, run, type Store } from '../../src/index.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { temporaryFolder } from '../store/sqlite/harness.ts'

/** Runs many threads whose models all answer in the same turn of the event loop. Counts the turns from then on. */
async function turnsOf(store: Store): Promise<number> {
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
  let done = 0
  const runs = Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      expect(await run(agent, 'go', { store, threadId: `t${n}` })).toMatchObject({ status: 'completed' })
      done += 1
    }),
  )
  while (asked < 200) await new Promise((resolve) => setImmediate(resolve))
  answer()
  let turns = 0
  for (; done < 200; turns++) await new Promise((resolve) => setImmediate(resolve))
  await runs
  return turns
}

test('models that answer 200 threads at once do not hold the event loop until all of them are done', async () => {
  const store = sqliteStore({ path: join(temporaryFolder(), 'store.db'), durability: 'process', thread: true })
  expect(await turnsOf(store)).toBeGreaterThan(100)
  await store.close()
})
