import { expect, test } from 'vitest'
import { JournalInvalid } from '../errors/errors.ts'
import { checkEnvelope, parseBody } from './versions.ts'

const place = { threadId: 't', seq: 7 }

function problem(work: () => unknown): JournalInvalid {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(JournalInvalid)
    expect(error).toMatchObject({ code: 'journal_invalid', name: 'JournalInvalid', ...place })
    return error as JournalInvalid
  }
  throw new Error('it was accepted')
}

test('a body of a known type and version is read as it is', () => {
  const entry = { v: 1, type: 'call.started', call: 'r/1.0', attempt: 1, extra: 'kept' }
  expect(parseBody(JSON.stringify(entry), place)).toEqual(entry)
})

test('a body that is not JSON is a damaged store', () => {
  for (const body of ['', '{', '{"v":1,"type":"call.started"', 'x'])
    expect(() => parseBody(body, place)).toThrow(
      expect.objectContaining({
        name: 'StoreCorrupt',
        code: 'store_corrupt',
        ...place,
        message: expect.stringMatching(/Entry 7 of thread "t".*not JSON/),
        cause: expect.any(SyntaxError),
      }),
    )
})

test('a body of an unknown type or of another version is refused, never skipped', () => {
  for (const body of [
    'null',
    '5',
    '"x"',
    '[]',
    '{}',
    '{"v":1}',
    '{"v":1,"type":7}',
    '{"v":1,"type":"nope"}',
    '{"v":1,"type":"toString"}',
    '{"v":1,"type":"__proto__"}',
  ])
    expect(problem(() => parseBody(body, place)).message).toContain('type')
  for (const v of [0, 2, 99, '1', null, undefined, true])
    expect(problem(() => checkEnvelope({ type: 'call.started', v }, place)).message).toContain('version')
})
