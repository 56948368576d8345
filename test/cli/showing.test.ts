import { describe, expect, it } from 'vitest'
import { holdpoint, tempDir } from './programs.ts'
import { seed } from './store.ts'

/** The characters of an output that a terminal would not just show. */
const hidden = (text: string) =>
  [...text].filter(
    (character) => character !== '\n' && /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(character),
  )

async function shown(text: string, ...options: string[]): Promise<string> {
  const dir = tempDir()
  const [id = ''] = await seed(dir, [{ text }])
  return holdpoint(dir, ['show', id, ...options]).stdout
}

describe('text from outside', () => {
  it.each([
    ['escape sequences', 'a\u001b[2Jb\u009b1mc', '"a‹U+001B›[2Jb‹U+009B›1mc"'],
    ['a change of direction', 'pay \u202Egnp.exe\u2069', '"pay ‹U+202E›gnp.exe‹U+2069›"'],
    [
      'invisible characters',
      'a\u200bb\u00adc\ufeffd\u{e0041}\u3164',
      '"a‹U+200B›b‹U+00AD›c‹U+FEFF›d‹U+E0041›‹U+3164›"',
    ],
    ['blanks that look like a space', 'a\u00a0b\u2003c', '"a‹U+00A0›b‹U+2003›c"'],
    ['quotes and backslashes', 'say "hi" \\n', '"say \\"hi\\" \\\\n"'],
    ['tabs and carriage returns', 'a\tb\rc', '"a\\tb\\rc"'],
    ['what looks like our own marks', '‹U+202E›', '"‹U+2039›U+202E›"'],
    ['heaps of accents', `a${'\u0301'.repeat(6)}`, `"a${'\u0301'.repeat(4)}‹U+0301›‹U+0301›"`],
    ['an accent on nothing', '\u0301a', '"‹U+0301›a"'],
    ['ordinary text of any language', 'Grüße, 你好, مرحبا, e\u0301', '"Grüße, 你好, مرحبا, e\u0301"'],
  ])('shows %s', async (_, text, expected) => {
    const output = await shown(text)
    expect(output).toContain(`text  ${expected}`)
    expect(hidden(output)).toEqual([])
  })

  it('cannot pretend to be a line of ours, however it is broken', async () => {
    const output = await shown(`hi\n  accepts   nothing\n${' '.repeat(200)}thread    other`)
    expect(output).toContain('"hi\\n\n')
    const lines = output.split('\n')
    expect(lines.filter((line) => /^ *(accepts|thread) /.test(line))).toHaveLength(2)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100)
  })

  it('is folded when it is long, with its length, and shown whole on demand', async () => {
    const text = `start ${'x'.repeat(5000)} end`
    const folded = await shown(text)
    expect(folded).toContain('5,010 characters in all')
    expect(folded).toContain('--full')
    expect(folded).toContain('"start xxx')
    expect(folded).toContain('xxx end"')
    expect(folded.length).toBeLessThan(2500)
    const full = await shown(text, '--full')
    expect(full.match(/x/g)?.length).toBeGreaterThanOrEqual(5000)
    expect(full).not.toContain('characters in all')
  })

  it('is harmless in lists, errors and JSON too', async () => {
    const dir = tempDir()
    const text = `\u001b[2J\u202e\u009b${'y'.repeat(80)}`
    const [id = ''] = await seed(dir, [{ text, 'k\u202e': 1 }])
    const list = holdpoint(dir, ['requests']).stdout
    expect(hidden(list)).toEqual([])
    expect(list).toContain('(86 characters)')
    expect(list).toContain('"k‹U+202E›" 1')
    const json = holdpoint(dir, ['show', id, '--json']).stdout
    expect(hidden(json)).toEqual([])
    expect(JSON.parse(json).args).toEqual({ text, 'k\u202e': 1 })
    const error = holdpoint(dir, ['show', 'no\u202e\nsuch\u001b[2J']).stderr
    expect(error.trimEnd().split('\n')).toHaveLength(1)
    expect(hidden(error)).toEqual([])
  })

  it('keeps what is nested apart and counted', async () => {
    const dir = tempDir()
    const [id = ''] = await seed(dir, [
      { text: 'x', to: { name: 'Ada', tags: ['a', 'b'] }, none: [], rows: Array.from({ length: 30 }, (_, i) => i) },
    ])
    const output = holdpoint(dir, ['show', id]).stdout
    expect(output).toContain(
      '  to    (2 fields)\n    name  "Ada"\n    tags  (2 items)\n      0  "a"\n      1  "b"\n  none  []\n',
    )
    expect(output).toContain('rows  (30 items)')
    expect(output).toContain('10 more of 30 are folded')
    expect(holdpoint(dir, ['show', id, '--full']).stdout).toContain('29  29')
  })

  it('has no colours where there is no terminal', async () => {
    expect(await shown('x')).not.toContain('\u001b')
  })
})
