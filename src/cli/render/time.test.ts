import { expect, it } from 'vitest'
import { relative, whenDue } from './time.ts'

const at = (seconds: number) => new Date(seconds * 1000).toISOString()

it('seconds that are left until something happens are told, not called just now', () => {
  expect(whenDue(at(103), 100_000)).toBe('in 3 s')
  expect(whenDue(at(101), 100_900)).toBe('in 1 s')
  expect(whenDue(at(130), 100_000)).toBe('in 30 s')
  expect(whenDue(at(100), 101_000)).toBe('just now')
  expect(whenDue(at(40), 100_000)).toBe('1 min ago')
})

it('what a server has written is from just now, also if its clock is a little ahead', () => {
  expect(relative(at(103), 100_000)).toBe('just now')
})
