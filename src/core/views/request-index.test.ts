import { expect, test } from 'vitest'
import type { EntryOf } from '../../protocol/entries/entry.ts'
import { searchText } from './request-index.ts'

const opened = (args: EntryOf<'request.opened'>['args'], description = ''): EntryOf<'request.opened'> => ({
  ...({
    v: 1,
    type: 'request.opened',
    id: 'r',
    questionId: 'q',
    kind: 'approve',
    agent: 'Clerk',
    path: ['Clerk'],
  } as const),
  ...{ toolName: 'Refund', allowedDecisions: ['approve'], description, ...(args ? { args } : {}) },
})

test('a search looks at tool, agent, thread, description and the strings and numbers of arguments', () => {
  const args = { to: 'Bob', amount: 12.5, deep: { list: ['Ünï', { n: 7 }] }, yes: true, no: null }
  expect(searchText(opened(args, 'Pays back.'), 'T-1')).toBe('refund clerk t-1 pays back. bob 12.5 ünï 7')
  expect(searchText(opened(undefined), 't')).toContain('refund clerk t')
})

test('what is secret by name is never searched, not even where the description quotes it', () => {
  const args = { password: 'hunter2', auth: { apiKey: 'k-9', api_key: 'k-8' }, accessToken: ['t-1'], to: 'bob' }
  const text = searchText(opened(args, 'Calls {"password":"hunter2","apiKey":"k-9"} with t-1'), 'x')
  for (const secret of ['hunter2', 'k-9', 'k-8', 't-1']) expect(text).not.toContain(secret)
  expect(text).toContain('bob')
})

test('the searched text has at most 2,000 characters, all well formed', () => {
  const text = searchText(opened({ a: 'x'.repeat(5000), b: '\u{1f600}'.repeat(3000) }), 't')
  expect(text).toHaveLength(2000)
  const emoji = searchText(opened({ b: `${'x'.repeat(1)}${'\u{1f600}'.repeat(3000)}` }), 't')
  expect(Buffer.from(emoji).toString()).toBe(emoji)
  expect(searchText(opened({ a: 'a\u0000b' }), 't')).not.toContain('\u0000')
})
