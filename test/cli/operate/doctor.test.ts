import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sqliteStore } from '../../../src/sqlite.ts'
import { holdpoint, MAIN, tempDir } from '../support/programs.ts'
import { seed } from '../support/store.ts'

const MEMORY = '/dev/shm'
const noMemory = !existsSync(MEMORY) || statfsSync(MEMORY).type !== 0x01021994

it('doctor reports nothing for a store on a durable file system', async () => {
  const dir = tempDir()
  await seed(dir, [{ text: 'one' }])
  const done = holdpoint(dir, ['doctor', '--json'])
  const isMemory = statfsSync(dir).type === 0x01021994
  const findings = [
    { level: 'ok', what: 'node', message: expect.any(String) },
    { level: 'ok', what: 'store', message: expect.any(String) },
    expect.objectContaining({ level: isMemory ? 'warn' : 'ok', what: 'store durability' }),
  ]
  expect(JSON.parse(done.stdout)).toEqual({ ok: !isMemory, findings })
  expect(done.stderr).toBe('')
})

it.skipIf(noMemory)(
  `doctor warns of a store on a memory file system, which a power cut erases (needs ${MEMORY})`,
  async () => {
    const dir = mkdtempSync(join(MEMORY, 'holdpoint-doctor-'))
    try {
      await seed(dir, [{ text: 'one' }])
      const done = holdpoint(dir, ['doctor'])
      expect(done).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^warn {2}store durability: .*\[memory_file_system\]$/m),
      })
      expect(holdpoint(dir, ['requests']).stderr).toBe('')
      const told: string[] = []
      const path = join(dir, 'process.db')
      const store = sqliteStore({ path, durability: 'process', onWarning: ({ code }) => told.push(code) })
      await store.read('t')
      await store.close()
      expect(told).toEqual([])
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  },
)

const UNSHARE = '/usr/bin/unshare'
const mayMount = spawnSync(UNSHARE, ['-rm', 'true']).status === 0

it.skipIf(!mayMount).each([
  ['read-only', 'mount --bind . . && mount -o remount,bind,ro .', /^fail {2}store: This user may not write s\.db/m],
  [
    'full',
    'mount -t tmpfs -o size=1m none "$1" && cp s.db "$1"',
    /^fail {2}store: The file system of s\.db is full: 0 MB are free/m,
  ],
])(
  'doctor says of a store on a file system that is %s what is wrong, and not to name another (needs unshare)',
  async (_how, mount, told) => {
    const dir = tempDir()
    const store = sqliteStore({ path: join(dir, 's.db') })
    await store.threads({ limit: 1 })
    await store.close()
    const script = `${mount} && cd "$1" && "$2" "$3" doctor --store s.db`
    const done = spawnSync(UNSHARE, ['-rm', 'sh', '-c', script, 'sh', dir, process.execPath, MAIN], {
      ...{ cwd: dir, encoding: 'utf8', timeout: 60_000 },
      env: { ...process.env, HOLDPOINT_USER: 'tester', HOLDPOINT_STORE: '' },
    })
    expect(done.stdout).toMatch(told)
    expect(done.stdout).not.toContain('Name the store with')
    expect(done.status).toBe(1)
  },
)
