import { describe, expect, it } from 'vitest'
import { lineDiff, readPreview } from '../../inbox/src/card/preview/read-preview.ts'

describe('a preview', () => {
  it('shows shares of a whole as bars', () => {
    expect(readPreview({ sessions: { rows: 1284, of: 48_210 } })).toEqual([
      { kind: 'bars', bars: [{ name: 'sessions', part: 1284, whole: 48_210 }] },
    ])
    expect(
      readPreview({
        tables: [
          { table: 'a', count: 1, total: 4 },
          { table: 'b', count: 2, total: 4 },
        ],
      }),
    ).toMatchObject([{ kind: 'bars', bars: [{ name: 'a' }, { name: 'b' }] }])
  })

  it('shows rows as a table, and says how many there are more', () => {
    const rows = Array.from({ length: 60 }, (_, id) => ({ id, name: `n${id}` }))
    expect(readPreview({ sample: rows })).toMatchObject([
      { kind: 'table', name: 'sample', head: ['id', 'name'], more: 10 },
    ])
  })

  it('shows two texts as a difference with line numbers, and folds what did not change', () => {
    const before = Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n')
    const lines = lineDiff(before, before.replace('line 10', 'line ten'))
    expect(lines).toContainEqual({ sign: '-', text: 'line 10', old: 11 })
    expect(lines).toContainEqual({ sign: '+', text: 'line ten', new: 11 })
    expect(lines[0]).toEqual({ sign: 'gap', count: 7 })
    expect(readPreview({ file: 'a.yaml', before: 'a: 1\nb: 2\n', after: 'a: 1\nb: 3\n' })).toMatchObject([
      { kind: 'diff', name: 'a.yaml' },
    ])
  })

  it('reads a unified diff', () => {
    const [part] = readPreview('--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n')
    expect(part).toMatchObject({
      kind: 'diff',
      lines: [{ sign: ' ' }, { sign: '-', text: 'old', old: 2 }, { sign: '+', text: 'new', new: 2 }],
    })
  })

  it('shows statements as SQL and everything else by name, leaving nothing out', () => {
    expect(readPreview('DELETE FROM users')).toEqual([{ kind: 'sql', text: 'DELETE FROM users' }])
    const odd = { note: 'text', count: 3, nested: { a: [1, { b: null }] }, empty: [] }
    expect(readPreview(odd)).toEqual([
      { kind: 'values', values: Object.entries(odd).map(([name, value]) => ({ name, value })) },
    ])
    expect(readPreview(null)).toEqual([{ kind: 'values', values: [{ name: '', value: null }] }])
  })
})
