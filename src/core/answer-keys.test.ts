import { expect, it } from 'vitest'
import { keepKey, mayHaveUsed } from './answer-keys.ts'
import { emptyState } from './state.ts'

const ann = { kind: 'person', id: 'ann' } as const
const bob = { kind: 'person', id: 'bob' } as const
const used = (key: string) => ({ by: ann, idempotency: { key } })

it('a key that was used is never called new, and one of somebody else is', () => {
  const state = emptyState('default', 't')
  expect(mayHaveUsed(state, ann, 'k0')).toBe(false)
  keepKey(state, { by: ann })
  for (let n = 0; n < 500; n++) keepKey(state, used(`k${n}`))
  for (let n = 0; n < 500; n++) expect(mayHaveUsed(state, ann, `k${n}`)).toBe(true)
  expect(mayHaveUsed(state, bob, 'k0')).toBe(false)
  expect(mayHaveUsed(state, ann, 'k500')).toBe(false)
})

it('the key of a batch is kept once, and more than a thousand keys are not kept', () => {
  const state = emptyState('default', 't')
  for (let n = 0; n < 3; n++) keepKey(state, used('batch'))
  expect(state.keys).toHaveLength(6)
  for (let n = 1; n < 1000; n++) keepKey(state, used(`k${n}`))
  expect(state.keys).toHaveLength(6_000)
  keepKey(state, used('one more'))
  expect(state.keys).toBeNull()
  keepKey(state, used('and another'))
  expect(mayHaveUsed(state, bob, 'never')).toBe(true)
})
