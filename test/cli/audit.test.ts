import { describe, expect, it } from 'vitest'
import { holdpoint, tempDir } from './programs.ts'
import { seed, tamper } from './store.ts'

describe('audit verify', () => {
  it('passes what nobody touched', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'one' }, { text: 'two' }])
    const done = holdpoint(dir, ['audit', 'verify'])
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toMatch(/^ok +t\/0 .*\nok +t\/1 /)
    expect(JSON.parse(holdpoint(dir, ['audit', 'verify', '--json', '--thread', 't/1']).stdout)).toEqual({
      ok: true,
      threads: [{ tenant: 'default', threadId: 't/1', ok: true, entries: expect.any(Number) }],
    })
  })

  it.each([
    [
      'a body that was changed',
      `UPDATE entries SET body = replace(body, 'one', 'two') WHERE thread = 1 AND seq = 2`,
      2,
    ],
    ['a body that is no longer an entry', `UPDATE entries SET body = 'x' WHERE thread = 1 AND seq = 2`, 2],
    ['a time that was changed', 'UPDATE entries SET at = at + 1 WHERE thread = 1 AND seq = 1', 1],
    ['an entry that was taken out', 'DELETE FROM entries WHERE thread = 1 AND seq = 3', 3],
    [
      'a last entry that was taken out',
      'DELETE FROM entries WHERE thread = 1 AND seq = (SELECT version FROM threads WHERE no = 1)',
      0,
    ],
    [
      'entries that changed places',
      'UPDATE entries SET seq = CASE seq WHEN 2 THEN -3 ELSE -2 END WHERE thread = 1 AND seq IN (2, 3)',
      0,
    ],
  ])('finds %s', async (_, sql, seq) => {
    const dir = tempDir()
    await seed(dir, [{ text: 'one' }, { text: 'two' }])
    expect(tamper(dir, sql)).toBeGreaterThan(0)
    tamper(dir, 'UPDATE entries SET seq = -seq WHERE seq < 0')
    const done = holdpoint(dir, ['audit', 'verify'])
    expect(done.code).toBe(1)
    expect(done.stdout).toMatch(seq > 0 ? new RegExp(`BROKEN +t/0 +entry ${seq}: `) : /BROKEN +t\/0 +entry \d+: /)
    expect(done.stdout).toMatch(/ok +t\/1/)
    expect(holdpoint(dir, ['audit', 'verify', '--thread', 't/1']).code).toBe(0)
  })

  it('says when there is no such thread', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'one' }])
    expect(holdpoint(dir, ['audit', 'verify', '--thread', 'none'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('[thread_not_found]'),
    })
  })
})
