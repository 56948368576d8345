import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type HostName, hostNames } from '../../../src/cli/gate/hook.ts'
import { hookCommand } from '../../../src/cli/gate/install/hook-command.ts'
import { hostConfigs } from '../../../src/cli/gate/install/host-config.ts'
import { mergeConfig, unmergeConfig } from '../../../src/cli/gate/install/merge-config.ts'
import { type AgentUser, selfApprovals } from '../../../src/cli/gate/install/self-approval.ts'
import { memoryStore } from '../../../src/index.ts'
import { served, tokenOf } from '../../support/gateway/served-gateway.ts'
import { holdpoint, holdpointProcess, MAIN, tempDir } from '../support/programs.ts'
import { policyFile, startProgram } from './hook-process.ts'

const FILES: Record<HostName, string> = {
  'claude-code': '.claude/settings.json',
  codex: '.codex/hooks.json',
  gemini: '.gemini/settings.json',
  cursor: '.cursor/hooks.json',
  copilot: '.github/hooks/holdpoint.json',
}

test.each(hostNames)('install puts the hooks of %s beside those that are there, once', (host) => {
  const dir = tempDir()
  const file = join(dir, FILES[host])
  const other = { matcher: 'Bash', hooks: [{ type: 'command', command: 'lint' }] }
  mkdirSync(dirname(file), { recursive: true })
  const [event = ''] = Object.keys(hostConfigs[host].hooks('x', 1))
  writeFileSync(file, JSON.stringify({ theme: 'dark', hooks: { [event]: [other] } }))
  // The same policy under two names: a thread that loaded a module does not load it again.
  for (const name of ['first.mjs', 'second.mjs']) {
    copyFileSync(policyFile(dir), join(dir, name))
    const args = ['gate', 'install', host, '--policy', name, '--store', 'store.db', '--limit', '30m']
    expect(holdpoint(dir, args).code).toBe(0)
  }
  const config = JSON.parse(readFileSync(file, 'utf8'))
  expect(config.theme).toBe('dark')
  expect(config.hooks[event]).toHaveLength(2)
  expect(config.hooks[event][0]).toEqual(other)
  const entry = JSON.stringify(config.hooks[event][1])
  expect(entry).toContain(`gate --host ${host}`)
  expect(entry).toContain(join(dir, 'second.mjs'))
  expect(entry).toContain(join(dir, 'store.db'))
  expect(entry).toContain('--limit 1800s')
  expect(entry).toMatch(/"(timeout|timeoutSec)":1800(000)?\b/)
  expect(existsSync(join(dir, 'store.db'))).toBe(false)
})

test.each(hostNames)('--remove takes the hooks of %s out again, and nothing else', (host) => {
  const dir = tempDir()
  const file = join(dir, FILES[host])
  expect(holdpoint(dir, ['gate', 'install', host, '--remove']).code).toBe(0)
  expect(existsSync(file)).toBe(false)
  mkdirSync(dirname(file), { recursive: true })
  const before = { theme: 'dark', hooks: { SessionStart: [{ command: 'lint' }] }, version: 1 }
  // The real file is somewhere else, and nobody else may read it.
  const real = join(dir, 'dotfiles.json')
  writeFileSync(real, JSON.stringify(before), { mode: 0o600 })
  symlinkSync(real, file)
  const { code } = holdpoint(dir, ['gate', 'install', host, '--policy', policyFile(dir)])
  expect([code, readFileSync(real, 'utf8').includes('gate --host')]).toEqual([0, true])
  expect(holdpoint(dir, ['gate', 'install', host, '--remove']).code).toBe(0)
  expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual(before)
  expect([lstatSync(file).isSymbolicLink(), statSync(real).mode & 0o777]).toEqual([true, 0o600])
})

test('hooks that somebody put beside those of holdpoint stay', () => {
  const other = { type: 'command', command: 'lint' }
  const ours = (command: string) => ({ type: 'command', command: `node main.js gate --host codex ${command}` })
  const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher: '*', hooks: [ours('--limit 1s'), other] }] } })
  const left = { matcher: '*', hooks: [other] }
  expect(JSON.parse(unmergeConfig(text))).toEqual({ hooks: { PreToolUse: [left] } })
  const entry = { matcher: '*', hooks: [ours('--limit 2s')] }
  expect(JSON.parse(mergeConfig(text, { hooks: { PreToolUse: entry } }))).toEqual({
    hooks: { PreToolUse: [left, entry] },
  })
  expect(JSON.parse(unmergeConfig(mergeConfig(undefined, { hooks: { PreToolUse: entry } })))).toEqual({})
})

test('hosts that can fail closed are told to', () => {
  expect(hostConfigs.cursor.hooks('x', 1).preToolUse).toMatchObject({ failClosed: true })
})

test.each(['claude-code', 'copilot'] as const)('--user writes the hooks of %s into the home folder', (host) => {
  const [dir, home] = [tempDir(), tempDir()]
  const { code } = holdpointProcess(dir, ['gate', 'install', host, '--user', '--policy', policyFile(dir)], {
    HOME: home,
  })
  const file = host === 'copilot' ? '.copilot/hooks/holdpoint.json' : FILES[host]
  expect([code, readFileSync(join(home, file), 'utf8').includes(`gate --host ${host}`)]).toEqual([0, true])
  expect(existsSync(join(dir, FILES[host]))).toBe(false)
})

test('a configuration that is not understood is left alone', () => {
  const dir = tempDir()
  mkdirSync(join(dir, '.codex'))
  const file = join(dir, '.codex/hooks.json')
  for (const text of ['{ // comment\n}', '[]', '{"hooks":[]}', '{"hooks":{"PreToolUse":{}}}']) {
    writeFileSync(file, text)
    expect(() => mergeConfig(text, { hooks: {} })).toThrow('cannot be changed')
  }
  const { code, stderr } = holdpoint(dir, ['gate', 'install', 'codex', '--policy', policyFile(dir)])
  expect([code, readFileSync(file, 'utf8')]).toEqual([1, '{"hooks":{"PreToolUse":{}}}'])
  expect(stderr).toContain('config_unreadable')
})

describe('install warns where the agent could approve itself', () => {
  const user: AgentUser = { stores: [], hasSecret: false, tokenDecides: false, writesPolicy: false }
  const gateway = { at: 'gateway', url: 'https://x', token: 't' } as const
  const atStore = (via: readonly string[] | undefined) => {
    const file = { kind: 'file', path: '/s.db' } as const
    return { at: 'store', store: { at: file, shown: 's.db', option: '', tenant: undefined }, policy: 'p', via } as const
  }

  test('by what it has access to', () => {
    expect(selfApprovals(gateway, user)).toEqual([])
    expect(selfApprovals(gateway, { ...user, tokenDecides: true }).join()).toContain('role agent')
    expect(selfApprovals(gateway, { ...user, tokenDecides: undefined }).join()).toContain('did not answer')
    expect(selfApprovals(gateway, { ...user, hasSecret: true }).join()).toContain('HOLDPOINT_JWT_SECRET')
    expect(selfApprovals(gateway, { ...user, stores: ['/x.db'] }).join()).toContain('/x.db')
    expect(selfApprovals(atStore(undefined), user).join()).toContain('holdpoint approve')
    expect(selfApprovals(atStore(['inbox', 'link']), user).join()).toContain('holdpoint link')
    expect(selfApprovals(atStore(['inbox']), user).join()).toContain('can write the store')
    expect(selfApprovals(atStore(['inbox']), user).join()).not.toContain('holdpoint approve')
    expect(selfApprovals(atStore(['inbox']), user).join()).not.toContain('write the policy')
    expect(selfApprovals(atStore(['inbox']), { ...user, writesPolicy: true }).join()).toContain('write the policy')
  })

  test('as the gateway says of its token', async () => {
    const store = memoryStore()
    onTestFinished(() => store.close())
    const { url } = await served({ store })
    const cwd = tempDir()
    for (const [role, count] of [
      ['agent', 0],
      ['reviewer', 1],
    ] as const) {
      const env = { HOLDPOINT_TOKEN: await tokenOf('dev', { roles: [role] }), HOLDPOINT_DATA: cwd }
      const command = [process.execPath, MAIN, 'gate', 'install', 'gemini', '--print', '--json', '--gateway', url]
      const { stdout } = await startProgram(command, '', { cwd, env }).ended
      expect((JSON.parse(stdout) as { warnings: string[] }).warnings).toHaveLength(count)
    }
  })

  test('and prints them', () => {
    const dir = tempDir()
    const { stderr, code } = holdpoint(dir, ['gate', 'install', 'codex', '--policy', policyFile(dir), '--via', 'any'])
    expect([code, stderr.includes('warning:'), stderr.includes('holdpoint approve')]).toEqual([0, true, true])
    expect(stderr).toContain('/hooks')
    expect(stderr).toContain('can write the policy')
    expect(stderr).toContain('The agent can edit these hooks')
  })
})

test('the password of a database and the token are not written into the configuration', () => {
  const call = {
    context: { cwd: '/x', settings: { store: 'postgres://u:secret@h/d' } },
    text: () => undefined,
  } as unknown as Parameters<typeof hookCommand>[0]
  const at = { kind: 'postgres', url: 'postgres://u:secret@h/d', schema: undefined } as const
  const places = [
    { at: 'store', store: { at, shown: '', option: '', tenant: undefined }, policy: 'p.mjs', via: ['inbox'] },
    { at: 'gateway', url: 'https://x', token: 'secret' },
  ] as const
  for (const place of places)
    expect(hookCommand(call, { host: 'codex', place, limit: 60, program: ['node'] })).not.toContain('secret')
})
