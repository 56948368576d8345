import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sqliteStore } from '../../../src/sqlite.ts'
import { holdpoint, tempDir } from '../support/programs.ts'
import { seed, storePath, tamper } from '../support/store.ts'

describe('audit verify', () => {
  it('passes an untouched store', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'one' }, { text: 'two' }])
    const done = holdpoint(dir, ['audit', 'verify'])
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toMatch(/^ok +t\/0 .*\nok +t\/1 /)
    expect(JSON.parse(holdpoint(dir, ['audit', 'verify', '--json', '--thread', 't/1']).stdout)).toEqual({
      ok: true,
      threads: [
        {
          tenant: 'default',
          threadId: 't/1',
          ok: true,
          entries: 5,
          erased: 0,
          head: { version: 5, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
        },
      ],
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

/** Takes the end of a thread off so that its chain still verifies. */
function cut(dir: string, thread: number, version: number): void {
  tamper(dir, `DELETE FROM entries WHERE thread = ${thread} AND seq > ${version}`)
  const head = `(SELECT hash FROM entries WHERE thread = ${thread} AND seq = ${version})`
  tamper(dir, `UPDATE threads SET version = ${version}, head = ${head} WHERE no = ${thread}`)
}

describe('audit verify --anchor', () => {
  async function anchored(): Promise<string> {
    const dir = tempDir()
    await seed(dir, [{ text: 'one' }, { text: 'two' }])
    writeFileSync(join(dir, 'heads.json'), holdpoint(dir, ['audit', 'verify', '--json']).stdout)
    return dir
  }
  const compare = (dir: string, ...more: string[]) =>
    holdpoint(dir, ['audit', 'verify', '--anchor', 'heads.json', ...more])

  it('passes what has grown since, and threads that are new', async () => {
    const dir = await anchored()
    const store = sqliteStore({ path: storePath(dir) })
    await store.append({ threadId: 't/1', entries: ['{"v":1,"type":"session.cleared"}'] })
    await store.append({ threadId: 'new', entries: ['{"v":1,"type":"session.cleared"}'] })
    await store.close()
    expect(compare(dir)).toMatchObject({ code: 0 })
  })

  it('finds a truncated chain, which the chain alone cannot show', async () => {
    const dir = await anchored()
    cut(dir, 1, 2)
    expect(holdpoint(dir, ['audit', 'verify']).code).toBe(0)
    expect(compare(dir)).toMatchObject({ code: 1, stdout: expect.stringMatching(/BROKEN +t\/0 .*its end was cut off/) })
    expect(compare(dir, '--thread', 't/1').code).toBe(0)
  })

  it('finds a thread that was deleted, and one whose hashes were recomputed', async () => {
    const dir = await anchored()
    tamper(dir, 'DELETE FROM entries WHERE thread = 2')
    tamper(dir, 'DELETE FROM threads WHERE no = 2')
    cut(dir, 1, 2)
    const store = sqliteStore({ path: storePath(dir) })
    await store.append({ threadId: 't/0', entries: [1, 2, 3].map(() => '{"v":1,"type":"session.cleared"}') })
    await store.close()
    const done = compare(dir)
    expect(done.code).toBe(1)
    expect(done.stdout).toMatch(/BROKEN +t\/0 .*computed anew/)
    expect(done.stdout).toMatch(/BROKEN +t\/1 .*is gone/)
    expect(JSON.parse(compare(dir, '--json').stdout)).toMatchObject({ ok: false })
  })

  it.each([['none.json'], ['broken.json'], ['other.json']])('says when %s is nothing to compare with', async (name) => {
    const dir = await anchored()
    writeFileSync(join(dir, 'broken.json'), '{')
    writeFileSync(join(dir, 'other.json'), '{"threads":[{"tenant":"default","threadId":"t/0","ok":false,"seq":2}]}')
    expect(holdpoint(dir, ['audit', 'verify', '--anchor', name])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('[anchor_invalid]'),
    })
  })
})

describe('an audit key', () => {
  const env = { HOLDPOINT_AUDIT_KEY: 'k1:a secret' }

  it('is taken over by audit sign, and then needed to decide; what was cut off is found', async () => {
    const dir = tempDir()
    const [first] = await seed(dir, [{ text: 'one' }, { text: 'two' }])
    writeFileSync(join(dir, 'keys'), 'k2:newer\nk1:a secret\n')
    expect(holdpoint(dir, ['audit', 'verify'], env)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('not signed'),
    })
    tamper(dir, `UPDATE entries SET at = at + 1 WHERE thread = 2 AND seq = 1`)
    expect(holdpoint(dir, ['audit', 'sign'], env)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^signed +t\/0\nnot signed +t\/1/),
    })
    tamper(dir, `UPDATE entries SET at = at - 1 WHERE thread = 2 AND seq = 1`)
    expect(holdpoint(dir, ['audit', 'sign'], env).stdout).toMatch(/^already signed +t\/0\nsigned +t\/1/)
    expect(holdpoint(dir, ['approve', first!])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('[audit_key_missing]'),
    })
    expect(holdpoint(dir, ['approve', first!, '--audit-key-file', 'keys']).code).toBe(0)
    const keyed = ['audit', 'verify', '--json', '--audit-key-file', 'keys']
    expect(JSON.parse(holdpoint(dir, keyed).stdout)).toMatchObject({
      ok: true,
      threads: [{ head: { key: 'k2' } }, { head: { key: 'k1' } }],
    })
    cut(dir, 1, 2)
    expect(holdpoint(dir, ['audit', 'verify']).code).toBe(0)
    expect(JSON.parse(holdpoint(dir, keyed).stdout)).toMatchObject({
      ok: false,
      threads: [{ ok: false, problem: expect.stringContaining('not the one that was signed') }, { ok: true }],
    })
  })

  it('that is missing is named when something must be signed with it', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'one' }])
    expect(holdpoint(dir, ['audit', 'sign'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--audit-key-file'),
    })
    expect(holdpoint(dir, ['audit', 'sign', '--audit-key-file', 'none'])).toMatchObject({ code: 2 })
  })

  it('that is left out is no silent pass: signed threads are reported as not checked', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'one' }])
    const unchecked = 'Signatures were not checked: 1 signed.'
    expect(holdpoint(dir, ['audit', 'verify']).stdout).not.toContain(unchecked)
    expect(holdpoint(dir, ['audit', 'sign'], env).code).toBe(0)
    expect(holdpoint(dir, ['audit', 'verify']).stdout).toContain(unchecked)
    expect(holdpoint(dir, ['audit', 'verify'], env).stdout).not.toContain(unchecked)
  })

  it('that is empty is refused, and never turns the check of signatures off', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'one' }])
    expect(holdpoint(dir, ['audit', 'sign'], env).code).toBe(0)
    cut(dir, 1, 2)
    writeFileSync(join(dir, 'keys'), '\n')
    const empty = { HOLDPOINT_AUDIT_KEY: '' }
    expect(holdpoint(dir, ['audit', 'verify'], empty)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('HOLDPOINT_AUDIT_KEY is empty'),
    })
    expect(holdpoint(dir, ['audit', 'verify', '--audit-key-file', 'keys'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('keys is empty'),
    })
  })
})
