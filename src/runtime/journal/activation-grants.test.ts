import { expect, test } from 'vitest'
import { activate, cleared } from '../../../test/support/stores/watched-store.ts'
import { memoryStore } from '../../store/memory/store.ts'

test('spending a grant shows before the next plan that it was spent or is gone', async () => {
  const store = memoryStore()
  const told: unknown[] = []
  const ledger = { lose: (id: string) => told.push(['lost', id]), took: (spent: unknown) => told.push(['took', spent]) }
  const activation = await activate({
    ...store,
    append: async ({ grants, ...append }) =>
      grants?.some((grant) => 'id' in grant && grant.id === 'gone')
        ? { ok: false, conflict: { kind: 'grant', id: 'gone' }, now: 0 }
        : store.append(append),
  })
  const spend = (id: string) => ({ op: 'spend', id }) as const
  await activation.write(() => ({ entries: [cleared] }), ledger)
  expect(told).toEqual([])
  await activation.write(() => ({ entries: [cleared], grants: [spend(told.length === 0 ? 'gone' : 'g')] }), ledger)
  expect(told).toEqual([
    ['lost', 'gone'],
    ['took', [spend('g')]],
  ])
})

test('a write without a ledger may spend, and plans again when a grant is gone', async () => {
  const store = memoryStore()
  let tries = 0
  const activation = await activate({
    ...store,
    append: async ({ grants: _grants, ...append }) =>
      tries++ === 0 ? { ok: false, conflict: { kind: 'grant', id: 'g' }, now: 0 } : store.append(append),
  })
  await activation.write(() => ({ entries: [cleared], grants: [{ op: 'spend', id: 'g' }] }))
  expect([tries, activation.token]).toEqual([2, 1])
})
