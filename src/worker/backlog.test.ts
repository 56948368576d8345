import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { WakeUp } from '../ports/queue.ts'
import { Backlog } from './backlog.ts'

const wakeUp = (tenantId: string, threadId: string): WakeUp => ({ tenantId, threadId, route: 'r' })
const anybody = () => true

function drain(backlog: Backlog): string[] {
  const taken: string[] = []
  for (let next = backlog.take(anybody); next; next = backlog.take(anybody))
    taken.push(`${next.tenantId}${next.threadId}`)
  return taken
}

it('tenants take turns, however many threads one of them has', () => {
  const backlog = new Backlog(100)
  for (const id of ['1', '2', '3', '4']) backlog.offer(wakeUp('a', id))
  backlog.offer(wakeUp('b', '1'))
  backlog.offer(wakeUp('c', '1'))
  backlog.offer(wakeUp('c', '2'))
  expect(drain(backlog)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4'])
})

it('a thread waits once', () => {
  const backlog = new Backlog(100)
  expect([1, 2].map(() => backlog.offer(wakeUp('a', '1')))).toEqual(['added', 'known'])
  expect(drain(backlog)).toEqual(['a1'])
})

it('a tenant that may not run now is passed over, and keeps its turn', () => {
  const backlog = new Backlog(100)
  for (const [tenant, id] of ['a1', 'a2', 'b1', 'b2'].map((name) => [...name])) backlog.offer(wakeUp(tenant!, id!))
  expect(backlog.take((tenant) => tenant !== 'a')).toMatchObject({ tenantId: 'b', threadId: '1' })
  expect(drain(backlog)).toEqual(['a1', 'b2', 'a2'])
})

it('if it is full, a newcomer gets a place of the tenant that has most', () => {
  const backlog = new Backlog(3)
  for (const id of ['1', '2', '3']) backlog.offer(wakeUp('a', id))
  expect(backlog.offer(wakeUp('a', '4'))).toBe('dropped')
  expect(backlog.offer(wakeUp('b', '1'))).toBe('added')
  expect(backlog.offer(wakeUp('b', '2'))).toBe('dropped')
  expect(drain(backlog)).toEqual(['a1', 'b1', 'a2'])
})

it('never holds more than its limit, and counts what it holds', () => {
  const offers = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(20)), { maxLength: 60 })
  fc.assert(
    fc.property(offers, fc.integer({ min: 1, max: 8 }), (all, limit) => {
      const backlog = new Backlog(limit)
      for (const [tenant, id] of all) {
        backlog.offer(wakeUp(tenant, String(id)))
        expect(backlog.size).toBeLessThanOrEqual(limit)
      }
      const held = backlog.size
      const taken = drain(backlog)
      expect(taken).toHaveLength(held)
      expect(new Set(taken).size).toBe(held)
      expect(held).toBe(Math.min(limit, new Set(all.map(([tenant, id]) => `${tenant}${id}`)).size))
    }),
  )
})
