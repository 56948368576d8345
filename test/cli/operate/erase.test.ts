import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { inFiles } from '../../erasure/traces.ts'
import { holdpoint, tempDir } from '../support/programs.ts'
import { seed, storePath, tamper } from '../support/store.ts'

const SECRET = 'Xyzzy-4711-Plugh'

it('erases a thread that waits only with --abort, leaves nothing of it in the files, and says so when chains are verified', async () => {
  const dir = tempDir()
  await seed(dir, [{ text: SECRET }, { text: 'other' }])
  const why = ['--thread', 't/0', '--reason', 'asked to', '--by', 'dora']
  expect(holdpoint(dir, ['erase', ...why])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('1 of its requests is open'),
  })
  const dry = holdpoint(dir, ['erase', ...why, '--abort', '--dry-run'])
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/would erase {2}t\/0 {2}5 entries, 1 request$/m) })
  expect(inFiles(dirname(storePath(dir)), SECRET)).not.toEqual([])
  expect(holdpoint(dir, ['erase', ...why, '--abort'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^erased {2}t\/0/),
  })
  expect(inFiles(dirname(storePath(dir)), SECRET)).toEqual([])
  expect(holdpoint(dir, ['erase', ...why]).stdout).toBe('t/0 was erased before.\n')

  const verified = holdpoint(dir, ['audit', 'verify'])
  expect(verified.code).toBe(0)
  expect(verified.stdout).toMatch(/ok +t\/0 {2}\d+ entries, \d+ erased/)
  expect(verified.stdout).toMatch(/bodies were erased/)
  const record = JSON.parse(holdpoint(dir, ['audit', 'export', '--thread', '~erasures']).stdout)
  expect(record.entry).toMatchObject({
    thread: 't/0',
    reason: 'asked to',
    by: { kind: 'person', id: 'dora', via: 'cli' },
  })
  expect(holdpoint(dir, ['requests']).stdout).not.toContain(SECRET)
  const journal = holdpoint(dir, ['journal', 't/0']).stdout.trimEnd().split('\n')
  expect(journal).toEqual([
    expect.stringMatching(/^ {2}1-\d {2}\S+ {2}erased$/),
    expect.stringMatching(/^ {7}the content of these \d entries is gone$/),
    expect.stringMatching(/^ {0,2}\d-\d+ {2}\S+ {2}erased$/),
    '       on record: by "person dora", reason "asked to"',
  ])

  expect(tamper(dir, `UPDATE entries SET body = '{"v":1,"type":"erased"}' WHERE body LIKE '%other%'`)).toBeGreaterThan(
    0,
  )
  const broken = holdpoint(dir, ['audit', 'verify'])
  expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(/BROKEN +t\/1 /) })
})

it('erases a tenant or old threads, prints JSON, and exits with 1 if some were left', async () => {
  const dir = tempDir()
  await seed(dir, [{ text: 'a' }, { text: 'b' }])
  const left = holdpoint(dir, ['erase', '--tenant', 'default', '--reason', 'over', '--json'])
  expect(left.code).toBe(1)
  expect(JSON.parse(left.stdout)).toMatchObject({ erased: [], refused: [{ threadId: 't/0', code: 'thread_open' }, {}] })
  expect(holdpoint(dir, ['erase', '--older-than', '1h'])).toMatchObject({
    code: 0,
    stdout: 'There is nothing to erase.\n',
  })
  const all = holdpoint(dir, ['erase', '--tenant', 'default', '--reason', 'over', '--abort', '--json'])
  expect(JSON.parse(all.stdout)).toMatchObject({
    dryRun: false,
    erased: [{ threadId: 't/0' }, { threadId: 't/1' }],
    refused: [],
  })
  const [index, testing] = ['index', 'testing'].map((name) => new URL(`../../../dist/${name}.js`, import.meta.url).href)
  const agents = `import { Agent } from '${index}'; import { scriptedModel } from '${testing}'
export default new Agent({ name: 'mailer', model: scriptedModel([]) })`
  writeFileSync(join(dir, 'agents.mjs'), agents)
  expect(holdpoint(dir, ['pending', '--against', 'agents.mjs'])).toMatchObject({ code: 0, stderr: '' })
  expect(holdpoint(dir, ['figures'])).toMatchObject({ code: 0, stderr: '' })
  expect(holdpoint(dir, ['threads', '--stuck'])).toMatchObject({ code: 0, stderr: '' })
})

it.each([
  [['--print', '--erase'], '--erase goes with --print-role'],
  [['--print-role', 'r', '--erase', '--tenant', 'acme'], 'a role of one tenant cannot erase'],
  [['--print', '--queue-schema', 'q'], '--queue-schema goes with --print-role'],
  [['--status', '--queue-schema', 'q'], '--queue-schema goes with --print-role'],
])('refuses migrate %j rather than leave a part of it out', (args, message) => {
  expect(holdpoint(tempDir(), ['migrate', ...args])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(message),
  })
})

it.each([
  [['--reason', 'x'], 'say what to erase'],
  [['--thread', 't'], 'say why'],
  [['--thread', 't', '--older-than', '1d', '--reason', 'x'], 'not both'],
  [['--older-than', 'soon'], '--older-than must be an age'],
  [['--thread', 't', '--reason', 'x', '--by', ' '], 'say who erases'],
])('refuses erase %j', (args, message) => {
  expect(holdpoint(tempDir(), ['erase', ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
})
