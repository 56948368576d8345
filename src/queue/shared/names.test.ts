import { expect, it } from 'vitest'
import { dueAt, ringKey, routeName } from './names.ts'

it('routes that differ have names that differ, of characters that every engine takes', () => {
  const routes = ['a', 'A', 'a b', 'a:b', 'a~3a~b', '~', '~7e~', '["mail","1.0.0"]', 'ü', '\u{1f600}', 'x'.repeat(101)]
  const names = [...routes, 'x'.repeat(102)].map(routeName)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[\w.~-]{1,100}$/)
  expect(routeName('mail-1.0.0')).toBe('mail-1.0.0')
})

it('rings are merged only if tenant, thread, route and time are the same', () => {
  const one = { tenantId: 'a', threadId: 'b', route: 'c' }
  const others = [
    { ...one, tenantId: 'x' },
    { ...one, threadId: 'x' },
    { ...one, route: 'x' },
  ]
  const keys = [ringKey(one, undefined), ringKey(one, 0), ...others.map((each) => ringKey(each, undefined))]
  expect(new Set(keys).size).toBe(5)
  expect(ringKey({ ...one }, undefined)).toBe(keys[0])
})

it('a delay is never shortened', () => {
  expect([dueAt(0, 5), dueAt(1, 0), dueAt(100, 0), dueAt(101, 0), dueAt(0.5, 99.9)]).toEqual([
    undefined,
    100,
    100,
    200,
    200,
  ])
})
