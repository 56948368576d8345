import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sqliteStore } from '../../../src/sqlite.ts'
import { holdpoint, tempDir } from '../support/programs.ts'
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
