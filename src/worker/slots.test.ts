import { expect, it } from 'vitest'
import { Slots } from './slots.ts'

it('gives out no more slots than there are, in total and for one tenant', () => {
  const slots = new Slots({ total: 3, perTenant: 2 })
  slots.take('a')
  const giveBack = slots.take('a')
  expect(slots.isFreeFor('a')).toBe(false)
  expect(() => slots.take('a')).toThrow('no slot')
  slots.take('b')
  expect(slots.hasFree).toBe(false)
  expect(slots.isFreeFor('c')).toBe(false)
  giveBack()
  giveBack()
  expect(slots.taken).toBe(2)
  expect(slots.isFreeFor('a')).toBe(true)
})
