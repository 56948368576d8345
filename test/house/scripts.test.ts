import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { firstExample } from '../../scripts/checks/readme.js'
import { ensureNode } from '../../scripts/lib/ensure.js'
import { withLock } from '../../scripts/lib/lock.js'

describe('the scripts', () => {
  let dir = ''
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'holdpoint-scripts-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  it('say which Node.js they need', () => {
    for (const version of ['20.19.0', '20.20.2', '22.0.0', '24.1.0']) expect(() => ensureNode(version)).not.toThrow()
    for (const version of ['18.20.4', '20.18.9'])
      expect(() => ensureNode(version)).toThrow(/20\.19 or newer .* this is/)
  })

  it("find the README's example by its mark", () => {
    const page = '```ts\nno\n```\n<!-- example: first -->\n\n```ts title\nyes\n\nagain\n```\n```ts\nno\n```\n'
    expect(firstExample(page)).toBe('yes\n\nagain')
    expect(firstExample('```ts\nno\n```')).toBeUndefined()
  })

  it('let one process at a time install or build', async () => {
    const seen: string[] = []
    const work = (name: string) => async () => {
      seen.push(`${name} in`)
      await new Promise((resolve) => setTimeout(resolve, 30))
      seen.push(`${name} out`)
    }
    await Promise.all([withLock(dir, 'x', work('a')), withLock(dir, 'x', work('b'))])
    expect(seen).toEqual(['a in', 'a out', 'b in', 'b out'])
    expect(readdirSync(join(dir, '.build'))).toEqual([])
  })

  it('take over the lock of a process that is gone', async () => {
    const gone = spawn(process.execPath, ['-e', ''])
    await new Promise((resolve) => gone.once('exit', resolve))
    await withLock(dir, 'x', () => undefined)
    writeFileSync(join(dir, '.build', 'x.lock'), String(gone.pid))
    expect(await withLock(dir, 'x', () => 'taken')).toBe('taken')
  })
})
