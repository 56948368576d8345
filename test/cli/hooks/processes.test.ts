import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type HitlRequest, openDesk, type Store } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { soak } from '../../support/soak.ts'
import { until } from '../../support/until.ts'
import { type Finished, holdpointProcess, MAIN, tempDir } from '../support/programs.ts'
import { policyFile, startHook, startProgram } from './hook-process.ts'
import { inputOf } from './input-of.ts'

const PRE = inputOf('claude-code-pre')
const ann = { kind: 'person', id: 'ann', via: 'inbox' } as const

function scene(code?: string) {
  const cwd = tempDir()
  const policy = policyFile(cwd, code)
  const path = join(cwd, 'store.db')
  const args = ['gate', '--host', 'claude-code', '--policy', policy, '--store', path]
  const opened: { store?: Store } = {}
  onTestFinished(async () => opened.store?.close())
  const asked = async (): Promise<HitlRequest> => {
    await until(() => existsSync(path))
    opened.store ??= sqliteStore({ path })
    const desk = openDesk({ store: opened.store })
    let found: HitlRequest | undefined
    await until(async () => {
      found = (await desk.list({ status: 'open' })).requests[0]
      return found !== undefined
    })
    return found!
  }
  const approve = async () =>
    openDesk({ store: opened.store! }).decide({ request: await asked(), decision: { type: 'approve' }, by: ann })
  return { cwd, args, path, asked, approve }
}

function expectDenied({ code, stdout }: Finished, reason: string | RegExp): void {
  expect(code).toBe(0)
  const { hookSpecificOutput } = JSON.parse(stdout) as { hookSpecificOutput: Record<string, string> }
  expect(hookSpecificOutput.permissionDecision).toBe('deny')
  expect(hookSpecificOutput.permissionDecisionReason).toMatch(reason)
}

test('a hook waits in its process until a person has decided', async () => {
  const { cwd, args, asked, approve } = scene()
  const hook = startHook(args, PRE, { cwd })
  await asked()
  await approve()
  const { stdout, code } = await hook.ended
  expect([JSON.parse(stdout).hookSpecificOutput.permissionDecision, code]).toEqual(['allow', 0])
  const post = await startHook(args, inputOf('claude-code-post'), { cwd }).ended
  expect(post).toEqual({ code: 0, stdout: '', stderr: '' })
})

test("a hook denies before the host's limit, and names the request", async () => {
  const { cwd, args, asked } = scene()
  const finished = await startHook([...args, '--limit', '120s', '--wait', '1s'], PRE, { cwd }).ended
  expectDenied(finished, (await asked()).id)
})

test('a hook that is told to stop denies', async () => {
  for (const signal of soak.sample(['SIGTERM', 'SIGINT', 'SIGHUP'] as const, { part: 0, of: 3 })) {
    const { cwd, args, asked } = scene()
    const hook = startHook(args, PRE, { cwd })
    await asked()
    hook.kill(signal)
    expectDenied(await hook.ended, 'told to stop')
  }
})

test('a policy that never answers is a denial in time', async () => {
  const never = "export default definePolicy(() => new Promise(() => {}), { name: 'never', version: '1' })"
  const { cwd, args } = scene(never)
  expectDenied(await startHook([...args, '--limit', '6s'], PRE, { cwd }).ended, 'in time')
})

test('a policy that throws, cannot be loaded, or ends in an error that nobody caught is a denial', async () => {
  const codes = [
    "export default definePolicy(() => { throw new Error('boom') }, { name: 'bad', version: '1' })",
    "throw new Error('boom')",
    "setTimeout(() => { throw new Error('boom') }, 0); await new Promise(() => {})",
  ]
  for (const code of soak.sample(codes, { part: 2, of: 3 })) {
    const { cwd, args } = scene(code)
    expectDenied(await startHook(args, PRE, { cwd }).ended, 'boom')
  }
})

test('a policy that prints does not spoil the answer', async () => {
  const prints = "console.log('{}'); process.stdout.write('more')"
  const { cwd, args } = scene(`${prints}\nexport default humanInTheLoop({ interruptOn: { Bash: true } })`)
  const finished = await startHook([...args, '--wait', '1s'], PRE, { cwd }).ended
  expectDenied(finished, 'nobody has decided yet')
  expect(finished.stderr).toContain('{}\nmore')
})

test('a policy that ends the process does not let a call through', async () => {
  const { cwd, args } = scene('process.exit(0)')
  expectDenied(await startHook(args, PRE, { cwd }).ended, 'ended the process')
})

test('an answer that cannot be printed is exit code 2', async () => {
  const { cwd, args } = scene('process.exit(0)')
  for (const words of soak.sample([args, [...args.slice(0, 3), '--policy', 'none.mjs']], { part: 0, of: 2 })) {
    const line = [process.execPath, MAIN, ...words].map((word) => `'${word}'`).join(' ')
    const { code } = await startProgram(['sh', '-c', `${line} > /dev/full`], JSON.stringify(PRE), { cwd }).ended
    expect(code).toBe(2)
  }
})

test.runIf(soak.times(0, 1))('a disk that is full is a denial', async () => {
  const { cwd, args } = scene()
  const line = [process.execPath, MAIN, ...args, '--wait', '1s'].map((word) => `'${word}'`).join(' ')
  const small = ['sh', '-c', `ulimit -f 8; exec ${line}`]
  expectDenied(await startProgram(small, JSON.stringify(PRE), { cwd }).ended, 'did not let this call through')
})

test('a store or a gateway that cannot be reached is a denial', async () => {
  const { cwd, args } = scene()
  const nowhere = args.map((word, index) => (args[index - 1] === '--store' ? 'postgres://x:y@127.0.0.1:1/none' : word))
  expectDenied(await startHook(nowhere, PRE, { cwd }).ended, 'did not let this call through')
  const gateway = ['gate', '--host', 'claude-code', '--gateway', 'http://127.0.0.1:1']
  expectDenied(await startHook(gateway, PRE, { cwd, env: { HOLDPOINT_TOKEN: 'x' } }).ended, 'does not answer')
})

test('input that is not JSON, and a command line that is wrong, do not let a call through', async () => {
  const { cwd, args } = scene()
  expectDenied(await startHook(args, 'not JSON', { cwd }).ended, 'not JSON')
  const wrong = await startHook(['gate', '--host', 'nobody'], PRE, { cwd }).ended
  expect([wrong.code, wrong.stdout, wrong.stderr !== '']).toEqual([2, '', true])
  const unknown = await startHook(args.toSpliced(1, 2), '{}', { cwd }).ended
  expect([unknown.code, unknown.stdout, unknown.stderr !== '']).toEqual([2, '', true])
})

test('the installed command exits with 2 and says why if the hook is killed or cannot be started', async () => {
  const killed = scene("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})")
  const { stdout } = holdpointProcess(
    killed.cwd,
    [...['gate', 'install', 'codex', '--print', '--json', '--gateway', 'http://127.0.0.1:1']],
    { HOLDPOINT_TOKEN: 'x' },
  )
  const { config } = JSON.parse(stdout) as { config: { hooks: { PreToolUse: { hooks: { command: string }[] }[] } } }
  const command = config.hooks.PreToolUse[0]!.hooks[0]!.command
  const own = command.replace(
    '--gateway http://127.0.0.1:1',
    `--policy ${join(killed.cwd, 'policy.mjs')} --store ${killed.path}`,
  )
  for (const line of [own, own.replace(/^\S+/, '/no/such/node')]) {
    const finished = await startProgram(['sh', '-c', line], JSON.stringify(PRE), { cwd: killed.cwd }).ended
    expect([finished.code, finished.stdout]).toEqual([2, ''])
    expect(finished.stderr).toContain('holdpoint gate failed')
  }
})
