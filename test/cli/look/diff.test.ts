import { expect, it } from 'vitest'
import { requestCard } from '../../../src/cli/render/request.ts'
import { ansiStyle, plainStyle } from '../../../src/cli/render/style.ts'
import type { HitlRequest, JsonValue } from '../../../src/index.ts'

/** The lines of a card between `preview` and the blank line after it. */
function previewOf(preview: JsonValue, options: { colour?: boolean; full?: boolean; width?: number } = {}): string[] {
  const { colour = false, full = false, width = 80 } = options
  const request = {
    id: 'r1',
    questionId: 'q1',
    kind: 'approve',
    status: 'open',
    version: 1,
    threadId: 't',
    agent: 'coder',
    path: ['coder'],
    toolName: 'patch',
    toolCallId: 'q1',
    args: { path: 'a.txt' },
    allowedDecisions: ['approve', 'reject'],
    preview,
    createdAt: new Date(0).toISOString(),
  } as unknown as HitlRequest
  const style = colour ? ansiStyle : plainStyle
  const card = requestCard(request, { style, width, full, now: 0 })
  const from = card.findIndex((line) => line.includes('preview')) + 1
  return card.slice(from, card.indexOf('', from)).map((line) => line.slice(2))
}

const UNIFIED = '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n'

it('a preview that is a unified diff is shown line by line', () => {
  expect(previewOf(UNIFIED)).toEqual([
    '│ --- a/a.txt',
    '│ +++ b/a.txt',
    '│ @@ -1,2 +1,2 @@',
    '│  one',
    '│ -two',
    '│ +2',
  ])
})

it('what goes is red and what comes is green in a terminal', () => {
  const lines = previewOf(UNIFIED, { colour: true })
  expect(lines.at(-2)).toBe('\u001b[2m│\u001b[22m \u001b[31m-two\u001b[39m')
  expect(lines.at(-1)).toBe('\u001b[2m│\u001b[22m \u001b[32m+2\u001b[39m')
})

it.each([
  [
    '{ type: diff }, with what else it says above',
    { type: 'diff', path: 'a.txt', diff: '-a\n+b' },
    ['path  "a.txt"', '│ -a', '│ +b'],
  ],
  ['what applyPatchTool shows', '*** Add File: a.txt\n+b', ['│ *** Add File: a.txt', '│ +b']],
])('a diff is also %s', (_, preview, expected) => {
  expect(previewOf(preview)).toEqual(expected)
})

it.each([
  ['a list', 'To do:\n- milk\n- eggs'],
  ['a text without changes', '@@ nothing @@'],
  ['an object of another kind', { type: 'table', diff: '+a' }],
  ['a diff that is no string', { type: 'diff', diff: 1 }],
])('%s is no diff and stays a value', (_, preview) => {
  expect(previewOf(preview).join('\n')).not.toContain('│ +')
  expect(previewOf(preview)[0]).not.toMatch(/^│/)
})

it('no line of a diff can hide anything, move the cursor, or pass for another line', () => {
  const long = `+${'x'.repeat(100)}`
  const lines = previewOf(`@@ @@\n+a\u001b[2Jb\u202e\r\n${long}-gone\n+accepts   all`, { width: 60 })
  expect(lines[1]).toBe('│ +a‹U+001B›[2Jb‹RLO›\\r')
  // The rest of a long line has another gutter.
  expect(lines[2]).toMatch(/^│ \+x+$/)
  expect(lines[3]).toMatch(/^┊ x+-gone$/)
  expect(lines[4]).toBe('│ +accepts   all')
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(60)
})

it('a long diff is folded with its length, and whole with --full', () => {
  const long = `@@ @@\n${Array.from({ length: 500 }, (_, index) => `+line ${index}`).join('\n')}`
  const lines = previewOf(long)
  expect(lines).toHaveLength(51)
  expect(lines[40]).toBe('⋮ 501 lines in all; the middle is folded, --full shows it')
  expect(lines.at(-1)).toBe('│ +line 499')
  expect(previewOf(long, { full: true })).toHaveLength(501)
})
