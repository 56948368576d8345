import { expect, test } from 'vitest'
import { ThreadIdInvalid } from './errors/errors.ts'
import { callKey, frameOf, parseThreadId } from './ids.ts'
import { uuidSource } from './uuid.ts'

test('a thread id is 1 to 200 of its characters, unchanged', () => {
  for (const id of ['a', 'A-Z.0_9:@/+=~', 'x'.repeat(200)]) expect(parseThreadId(id)).toBe(id)
  for (const id of ['', ' a', 'a\n', 'x'.repeat(201), 'ä', 'a\0', 5, undefined, null, ['a']])
    expect(() => parseThreadId(id)).toThrow(
      expect.objectContaining({ code: 'thread_id_invalid', name: 'ThreadIdInvalid' }),
    )
  expect(() => parseThreadId('y'.repeat(5000))).toThrow(ThreadIdInvalid)
})

test('a call key names its frame, at every depth', () => {
  const root = callKey('run', 1, 0)
  const nested = callKey(root, 2, 11)
  expect([root, nested]).toEqual(['run/1.0', 'run/1.0/2.11'])
  expect([frameOf(root), frameOf(nested)]).toEqual(['run', 'run/1.0'])
  expect(new Set([callKey('r', 1, 11), callKey('r', 11, 1), callKey('r', 1, 1)]).size).toBe(3)
})

test('ids are UUIDv7, all different and sorted by creation, even when the clock stands still or runs back', () => {
  const times = [1_000, 1_000, 999, 5, 1_001, 1_001]
  let reads = 0
  const next = uuidSource(() => times[Math.min(reads++, times.length - 1)]!)
  const ids = Array.from({ length: 20_000 }, () => next())
  expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(true)
  expect([...ids].sort()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  expect(Number.parseInt(ids[0]!.replaceAll('-', '').slice(0, 12), 16)).toBe(1_000)
})
