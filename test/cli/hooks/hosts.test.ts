import { describe, expect, it, test } from 'vitest'
import { type HookVerdict, type HostName, hostNames } from '../../../src/cli/gate/hook.ts'
import { hostOf, hosts } from '../../../src/cli/gate/hosts/find-host.ts'
import { inputOf } from './input-of.ts'

const SHELL: Record<HostName, string> = {
  'claude-code': 'Bash',
  codex: 'Bash',
  gemini: 'run_shell_command',
  cursor: 'Shell',
  copilot: 'bash',
}

describe.each(hostNames)('inputs of %s', (name) => {
  const host = hosts[name]

  it('are recognised without --host', () => {
    expect(hostOf(inputOf(`${name}-pre`))?.name).toBe(name)
    expect(hostOf(inputOf(`${name}-post`))?.name).toBe(name)
  })

  it('a call and its end are the same call', () => {
    const before = host.read(inputOf(`${name}-pre`))
    const after = host.read(inputOf(`${name}-post`))
    expect(before).toMatchObject({ asks: 'may-run', call: { toolName: SHELL[name], args: { command: 'npm publish' } } })
    expect(after).toMatchObject({ asks: 'nothing', end: { result: expect.stringContaining('shop@1.2.0') } })
    const identity = ({ call: { threadId, toolName, args } }: typeof before) => ({ threadId, toolName, args })
    expect(identity(after)).toEqual(identity(before))
    expect(before.call.threadId).not.toBe('')
  })

  it('a denial is printed with its reason, and exits with 0', () => {
    const hook = host.read(inputOf(`${name}-pre`))
    const { stdout, exitCode } = host.answer('event' in hook ? hook.event : '', {
      say: 'deny',
      reason: 'not on Friday',
    })
    expect(exitCode).toBe(0)
    expect(stdout).toContain('not on Friday')
    expect(stdout).toContain('"deny"')
  })

  it('input without a call is refused', () => {
    for (const missing of ['tool_name', 'toolName', 'tool_input', 'toolArgs', 'session_id', 'conversation_id', 'cwd']) {
      const input = inputOf(`${name}-pre`)
      const needed = missing in input && missing !== 'cwd'
      delete input[missing]
      if (needed) expect(() => host.read(input), missing).toThrow(/must be/)
      else expect(host.read(input).asks).toBe('may-run')
    }
  })
})

/** What a host prints for a call that may run, by verdict. */
const answers = (name: HostName, event: string, verdict: HookVerdict): unknown => {
  const { stdout, exitCode } = hosts[name].answer(event, verdict)
  expect(exitCode).toBe(0)
  return stdout === '' ? '' : JSON.parse(stdout)
}
const edited = { say: 'released', args: { command: 'npm pack' } } as const

test('Claude Code: allow and changed arguments; a free call is left to its own rules', () => {
  const output = (more: object) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...more } })
  expect(answers('claude-code', 'PreToolUse', { say: 'free' })).toBe('')
  expect(answers('claude-code', 'PreToolUse', { say: 'released' })).toEqual(
    output({ permissionDecision: 'allow', permissionDecisionReason: 'released by holdpoint' }),
  )
  expect(answers('claude-code', 'PreToolUse', edited)).toMatchObject(
    output({ permissionDecision: 'allow', updatedInput: { command: 'npm pack' } }),
  )
  expect(answers('claude-code', 'PreToolUse', { say: 'deny', reason: 'no' })).toEqual(
    output({ permissionDecision: 'deny', permissionDecisionReason: 'no' }),
  )
})

test('Claude Code: PermissionRequest has answers of its own', () => {
  expect(hosts['claude-code'].read(inputOf('claude-code-permission'))).toMatchObject({ event: 'PermissionRequest' })
  const output = (decision: object) => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })
  expect(answers('claude-code', 'PermissionRequest', edited)).toEqual(
    output({ behavior: 'allow', updatedInput: { command: 'npm pack' } }),
  )
  expect(answers('claude-code', 'PermissionRequest', { say: 'deny', reason: 'no' })).toEqual(
    output({ behavior: 'deny', message: 'no' }),
  )
})

test('Claude Code: a failed tool is an error', () => {
  expect(hosts['claude-code'].read(inputOf('claude-code-failure'))).toMatchObject({ end: { error: 'Exit code 1' } })
})

test('Codex: nothing is printed for an unchanged call, since it refuses such an allow and runs the tool', () => {
  expect(answers('codex', 'PreToolUse', { say: 'free' })).toBe('')
  expect(answers('codex', 'PreToolUse', { say: 'released' })).toBe('')
  expect(answers('codex', 'PreToolUse', edited)).toEqual({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      updatedInput: { command: 'npm pack' },
    },
  })
})

test('Gemini CLI: changed arguments are sent whole, and none can be left out', () => {
  expect(answers('gemini', 'BeforeTool', { say: 'free' })).toBe('')
  expect(answers('gemini', 'BeforeTool', { say: 'released' })).toEqual({ decision: 'allow' })
  expect(answers('gemini', 'BeforeTool', edited)).toMatchObject({
    decision: 'allow',
    hookSpecificOutput: { tool_input: { command: 'npm pack' } },
  })
  const { editProblem } = hosts.gemini
  expect(editProblem('BeforeTool', { a: 1, b: { c: 1 } }, { a: 2, b: { c: 2, d: 3 } })).toBeUndefined()
  expect(editProblem('BeforeTool', { a: 1, b: 1 }, { a: 2 })).toContain('b')
  expect(editProblem('BeforeTool', { b: { c: 1 } }, { b: {} })).toContain('b.c')
})

test('Cursor: commands and MCP calls have events of their own, whose arguments cannot be changed', () => {
  const { read, editProblem } = hosts.cursor
  expect(read(inputOf('cursor-shell')).call).toMatchObject({ toolName: 'Shell', args: { command: 'npm publish' } })
  expect(read(inputOf('cursor-mcp')).call).toMatchObject({ toolName: 'send_mail', args: { to: 'ann@example.com' } })
  expect(editProblem('preToolUse', {}, {})).toBeUndefined()
  expect(editProblem('beforeShellExecution', {}, {})).toContain('beforeShellExecution')
  expect(answers('cursor', 'preToolUse', edited)).toEqual({
    permission: 'allow',
    updated_input: { command: 'npm pack' },
  })
})

test('Copilot CLI: a failed tool is an error; older versions send arguments as text, and no session', () => {
  const { read } = hosts.copilot
  expect(read(inputOf('copilot-failure'))).toMatchObject({ asks: 'nothing', end: { error: 'Path does not exist' } })
  const { sessionId: _, ...old } = inputOf('copilot-pre', { toolArgs: '{"command":"npm publish"}' })
  expect(read(old).call).toMatchObject({ threadId: '/home/dev/shop', args: { command: 'npm publish' } })
  const { cwd: __, ...nowhere } = old
  expect(() => read(nowhere)).toThrow('cwd must be')
  // Only an error that is there tells of an end.
  expect(read(inputOf('copilot-pre', { error: null })).asks).toBe('may-run')
})

test('an event that is not about a call is refused', () => {
  for (const name of ['claude-code', 'gemini', 'cursor'] as const)
    expect(() => hosts[name].read(inputOf(`${name}-pre`, { hook_event_name: 'SessionStart' }))).toThrow('SessionStart')
})

test('long results are cut off before they are recorded', () => {
  const hook = hosts.codex.read(inputOf('codex-post', { tool_response: 'x'.repeat(50_000) }))
  expect('end' in hook && 'result' in hook.end && hook.end.result.length).toBeLessThan(10_100)
})
