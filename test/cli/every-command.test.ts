import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { commandGroups } from '../../src/cli/commands/index.ts'
import { soak } from '../support/soak.ts'
import { callsIn, ENV } from './support/every-call.ts'
import { type Finished, holdpoint } from './support/programs.ts'

const commands = commandGroups.flatMap((group) => group.commands)
const isRemote = (name: string): boolean => commands.find((each) => each.name === name)?.remote === true
const hasStore = (name: string): boolean => commands.find((each) => each.name === name)?.storeless !== true
/** They print a script or a module, not data. */
const PRINTED = ['migrate', 'gate install']
/** They say what is wrong in what they print. */
const REPORTS = ['doctor', 'pending']
const NOWHERE = 'postgres://u:hunter2secret@127.0.0.1:1/x'

/** The values that a program would read: one, or one for each line. */
function parsed(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    // JSON Lines.
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown)
  }
}

const failure = (code: string | RegExp) => ({
  error: { code: typeof code === 'string' ? code : expect.stringMatching(code), message: expect.any(String) },
})

describe('every command', () => {
  let dir: string
  let calls: Awaited<ReturnType<typeof callsIn>>

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'holdpoint-every-'))
    calls = await callsIn(dir)
    return () => rmSync(dir, { recursive: true, force: true })
  })

  const run = (name: string, args: readonly string[], env: Record<string, string> = {}): Finished =>
    holdpoint(dir, [...name.split(' '), ...args], { ...ENV, ...env })

  it('says with --json what is wrong with its arguments as JSON alone, on standard error', () => {
    for (const { name } of commands) {
      const { code, stdout, stderr } = run(name, ['--json', '--frob'])
      expect([name, code, stdout, parsed(stderr)]).toEqual([name, 2, '', [failure('usage')]])
    }
  })

  // The next two wait about three seconds for each call, as a person would.
  it('says in one line that a gateway cannot be reached, as JSON with --json', { timeout: 600_000 }, () => {
    const env = { HOLDPOINT_URL: 'http://127.0.0.1:1', HOLDPOINT_TOKEN: 'a token' }
    const line = expect.stringMatching(/^error: .*\[unreachable\]\n$/)
    expect(run('inbox', ['watch'], env)).toEqual({ code: 1, stdout: '', stderr: line })
    const remote = calls.filter(([name]) => isRemote(name))
    for (const [name, args] of soak.sample(remote, { part: 1, of: 12 })) {
      const { code, stdout, stderr } = run(name, [...args, '--json'], env)
      expect([name, code, stdout, parsed(stderr)]).toEqual([name, 1, '', [failure('unreachable')]])
    }
  })

  it('says in one line that a store cannot be reached, without the password, as JSON with --json', {
    timeout: 600_000,
  }, () => {
    // One of them checks the form of the id first, one refuses addresses with a password, and two are about servers that cannot be reached.
    const others = ['webhooks resend', 'gate install', 'doctor', 'migrate']
    const local = calls.filter(([name]) => hasStore(name) && !others.includes(name))
    for (const [name, args] of soak.sample(local, { part: 1, of: 16 })) {
      const { code, stdout, stderr } = run(name, [...args, '--json', '--store', NOWHERE])
      expect([name, code, stdout, parsed(stderr)]).toEqual([name, 1, '', [failure('store_failed')]])
      expect(stderr).not.toContain('hunter2secret')
    }
  })

  it('takes an id of another tenant for one that does not exist', () => {
    const ids = new Set(
      calls.flatMap(([, args]) => args).filter((word) => /^(\w{8}-\w{4}-\w{4}-|wh_\w{20})/.test(word)),
    )
    expect(ids.size).toBeGreaterThan(5)
    const asUnknown = (id: string) => id.replaceAll(/[0-9a-f]/g, (digit) => (digit === 'f' ? '0' : 'f'))
    for (const [name, args] of calls) {
      const [id] = args.filter((word) => ids.has(word))
      if (id === undefined) continue
      const unknown = asUnknown(id)
      const foreign = run(name, [...args, '--tenant', 'other'])
      const absent = run(
        name,
        args.map((word) => (word === id ? unknown : word)),
      )
      expect([name, foreign.code]).toEqual([name, absent.code])
      expect([name, foreign.stdout, foreign.stderr.replaceAll(id, 'ID')]).toEqual([
        name,
        absent.stdout,
        absent.stderr.replaceAll(unknown, 'ID'),
      ])
      expect(foreign.code).not.toBe(0)
    }
  })

  it('prints JSON alone with --json, whether it succeeds or not', () => {
    for (const [name, args, expected = 0] of calls) {
      const { code, stdout, stderr } = run(name, [...args, '--json'])
      expect([name, code, stderr && parsed(stderr)]).toEqual([
        name,
        expected,
        expected === 0 || REPORTS.includes(name) ? '' : [failure(/./)],
      ])
      if (PRINTED.includes(name)) continue
      expect(() => parsed(stdout), `${name}: ${stdout}`).not.toThrow()
      expect([name, parsed(stdout).length > 0 || name === 'audit export']).toEqual([
        name,
        expected === 0 || REPORTS.includes(name),
      ])
    }
  })
})
