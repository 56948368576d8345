import * as other from 'holdpoint'
import { expect, test } from 'vitest'
import { ann, gateOf, held, refund } from './gate.ts'

test('a call whose thread was erased is a new call, also with a store from another copy of the package', async () => {
  const store = other.memoryStore()
  const gate = gateOf(store)
  const first = await held(gate, refund())
  await other.erase(store, { threadId: first.threadId, by: ann, reason: 'asked for', abort: true })
  const second = await held(gate, refund())
  expect(second.id).not.toBe(first.id)
  await expect(store.read(first.threadId)).rejects.toMatchObject({ code: 'thread_erased' })
})
