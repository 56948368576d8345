import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, humanInTheLoop, type JsonObject, type RunResult, run, tool } from '../../src/index.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { scriptedModel } from '../../src/testing.ts'
import { holdpoint, tempDir } from './support/programs.ts'
import { storePath } from './support/store.ts'

const INDEX = new URL('../../dist/index.js', import.meta.url).href

/** Records two threads: `t/1` with five calls under a policy, `t/2` with one that the tool's own rule asks about. */
async function record(dir: string): Promise<void> {
  const store = sqliteStore({ path: storePath(dir) })
  const make = (name: string, needsApproval = false) =>
    tool({
      name,
      description: name,
      parameters: z.object({ query: z.string() }),
      needsApproval,
      execute: () => 'ok',
      ...(name === 'ping' ? { risk: 'low' as const } : {}),
    })
  const calls: [string, JsonObject][] = [
    ['read_data', { query: 'all' }],
    ['write_file', { query: 'a.txt\u202e' }],
    ['execute_sql', { query: 'DROP' }],
    ['ping', { query: 'x' }],
    ['read_data', { query: 7 }],
  ]
  const toolCalls = calls.map(([name, args], index) => ({ id: `c${index}`, name, args }))
  const tools = ['read_data', 'write_file', 'execute_sql', 'ping'].map((name) => make(name))
  const policy = humanInTheLoop({ interruptOn: { write_file: true, execute_sql: true, ping: true } })
  const writer = new Agent({ name: 'writer', model: scriptedModel([{ toolCalls }]), tools, policy })
  await run(writer, 'Tidy up.', { store, threadId: 't/1', context: { plan: 'free' } })
  const own = scriptedModel([{ toolCalls: [{ id: 'g', name: 'gated', args: { query: '' } }] }])
  const gated = new Agent({ name: 'other', model: own, tools: [make('gated', true)] })
  await run(gated, 'Go.', { store: store.tenant('acme'), threadId: 't/2' })
  await store.close()
}

/** Records a head that asks a scout inside of its run, then hands over to a clerk. All calls have the same id; ann approves, bob rejects. */
async function recordSeveral(dir: string): Promise<void> {
  const store = sqliteStore({ path: storePath(dir) })
  const look = tool({
    name: 'look',
    description: 'look',
    parameters: z.object({}),
    needsApproval: true,
    execute: () => 'a house',
  })
  const calling = (name: string, args: JsonObject) => ({ toolCalls: [{ id: 'c', name, args }] })
  const scout = new Agent({ name: 'scout', model: scriptedModel([calling('look', {}), 'Seen.']), tools: [look] })
  const clerk = new Agent({ name: 'clerk', model: scriptedModel([calling('look', {}), 'Noted.']), tools: [look] })
  const head = new Agent({
    name: 'head',
    model: scriptedModel([calling('ask_scout', { input: 'north' }), calling('transfer_to_clerk', {})]),
    tools: [scout.asTool({ name: 'ask_scout' })],
    handoffs: [clerk],
  })
  let result: RunResult = await run(head, 'Go.', { store, threadId: 't' })
  await result.state.approve(result.interruptions[0]!, { by: 'ann' })
  result = await run(head, result.state)
  await result.state.reject(result.interruptions[0]!, { by: 'bob' })
  expect((await run(head, result.state)).status).toBe('completed')
  await store.close()
}

function policyFile(dir: string, code: string, name = 'policy.mjs'): string {
  writeFileSync(join(dir, name), `import { definePolicy, humanInTheLoop, shadow } from '${INDEX}'\n${code}\n`)
  return name
}

/** Records, writes a policy, and runs the command on it. */
async function tried(code: string, ...options: string[]) {
  const dir = tempDir()
  await record(dir)
  return holdpoint(dir, ['policy', 'test', policyFile(dir, code), ...options])
}

const RULES = `export default humanInTheLoop({
  interruptOn: { read_data: true, write_file: false, execute_sql: { allowedDecisions: ['reject'] } },
})`

describe('policy test', () => {
  it('judges the calls of one tenant alone if told to', async () => {
    const { stdout } = await tried('export default definePolicy(() => ({ verdict: "allow" }))', '--tenant', 'acme')
    expect(stdout).toContain('t/2 (tenant acme)')
    expect(stdout).not.toContain('t/1')
  })

  it('says what would newly be asked, run or denied', async () => {
    const noDrop = `definePolicy(({ args }) => args.query === 'DROP' ? { verdict: 'deny', reason: 'no DROP' } : { verdict: 'allow' })`
    const done = await tried(`${RULES.replace('export default', 'const rules =')}
      export default [rules, ${noDrop}]`)
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout.split('\n')).toEqual([
      't/2 (tenant acme)',
      '  review           gated  query ""',
      't/1',
      '  allow → review   read_data  query "all"',
      '  review → allow   write_file  query "a.txt‹RLO›"',
      '  review → deny    execute_sql  query "DROP"',
      '                   "no DROP"',
      '  review → allow   ping  query "x"',
      '  invalid          read_data',
      '',
      '6 calls: 1 newly asked, 2 newly run, 1 newly denied, 1 as before.',
      '1 never reached a policy: the tool is unknown, or the arguments do not fit its schema.',
      '',
    ])
  })

  it('reports the same as JSON, for one thread', async () => {
    const done = await tried(RULES, '--thread', 't/1', '--json')
    expect(done).toMatchObject({ code: 0, stderr: '' })
    const { policies, calls, summary } = JSON.parse(done.stdout)
    expect(policies).toEqual([{ name: 'humanInTheLoop', version: expect.stringMatching(/^1\+[0-9a-f]{12}$/) }])
    expect(summary).toEqual({ calls: 5, asked: 1, run: 2, denied: 0, same: 1, failed: 0, invalid: 1 })
    expect(calls[1]).toEqual({
      tenant: 'default',
      threadId: 't/1',
      seq: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-/),
      toolName: 'write_file',
      toolCallId: 'c1',
      args: { query: 'a.txt\u202e' },
      agent: 'writer',
      before: 'review',
      now: 'allow',
      change: 'run',
      decided: null,
    })
    expect(calls.map((one: { now: unknown }) => one.now)).toEqual(['review', 'allow', 'review', 'allow', null])
  })

  it('gives the policy what it would have had: agent, context, conversation', async () => {
    const done = await tried(
      `export default definePolicy(({ toolName, agent, runContext, messages }) => ({
        verdict: 'deny',
        reason: JSON.stringify([toolName, agent, runContext, messages.map(({ role, content }) => role + ':' + content)]),
      }))`,
      '--thread=t/1',
      '--json',
    )
    expect(JSON.parse(JSON.parse(done.stdout).calls[0].reason)).toEqual([
      'read_data',
      'writer',
      { context: { plan: 'free' }, usage: { requests: 1, inputTokens: 0, outputTokens: 0, totalTokens: 0 } },
      ['user:Tidy up.'],
    ])
  })

  it('gives the policy the agent, input and conversation of agents inside agents and after hand-offs', async () => {
    const dir = tempDir()
    await recordSeveral(dir)
    const file = policyFile(
      dir,
      `export default definePolicy(({ toolName, agent, runContext, messages }) => ({
        verdict: 'deny',
        reason: JSON.stringify([toolName, agent, runContext.toolInput ?? null, messages.map(({ role, content }) => role + ':' + content)]),
      }))`,
    )
    const { calls } = JSON.parse(holdpoint(dir, ['policy', 'test', file, '--json']).stdout)
    expect(calls.map(({ reason }: { reason: string }) => JSON.parse(reason))).toEqual([
      ['ask_scout', 'head', null, ['user:Go.']],
      ['look', 'scout', { input: 'north' }, ['user:north']],
      ['transfer_to_clerk', 'head', null, ['user:Go.', 'assistant:', 'tool:Seen.']],
      ['look', 'clerk', null, ['user:Go.', 'assistant:', 'tool:Seen.', 'assistant:', expect.stringMatching(/^tool:/)]],
    ])
  })

  it('shows what people decided about each of several calls that have the same id', async () => {
    const dir = tempDir()
    await recordSeveral(dir)
    const file = policyFile(dir, 'export default definePolicy(() => ({ verdict: "allow" }))')
    const done = holdpoint(dir, ['policy', 'test', file])
    expect(done.stdout.split('\n').map((line) => line.trim())).toEqual(
      expect.arrayContaining(['approved by person ann', 'rejected by person bob']),
    )
    const { calls } = JSON.parse(holdpoint(dir, ['policy', 'test', file, '--json']).stdout)
    expect(calls.map(({ agent, decided }: { agent: string; decided: unknown }) => [agent, decided])).toEqual([
      ['head', null],
      ['scout', { type: 'approve', by: { kind: 'person', id: 'ann' } }],
      ['head', null],
      ['clerk', { type: 'reject', by: { kind: 'person', id: 'bob' } }],
    ])
  })

  it('exits with 1 under --fail-on-change when something would change, and with 0 otherwise', async () => {
    const asked = `export default humanInTheLoop({ interruptOn: { write_file: true, execute_sql: true, ping: true } })`
    expect(await tried(asked, '--thread', 't/1', '--fail-on-change')).toMatchObject({ code: 0 })
    const changed = await tried(RULES, '--thread', 't/1', '--fail-on-change')
    expect(changed).toMatchObject({
      code: 1,
      stderr: '',
      stdout: expect.stringContaining('1 newly asked, 2 newly run'),
    })
  })

  it('tries a shadow policy out as if it counted, and changes nothing', async () => {
    const dir = tempDir()
    await record(dir)
    const file = policyFile(dir, `export default shadow(definePolicy(() => ({ verdict: 'deny', reason: 'x' })))`)
    const before = holdpoint(dir, ['audit', 'verify', '--json']).stdout
    expect(holdpoint(dir, ['policy', 'test', file]).stdout).toContain('5 newly denied')
    expect(holdpoint(dir, ['audit', 'verify', '--json']).stdout).toBe(before)
  })

  it('knows tools that nobody called if the file names them, and the risk of those that were asked about', async () => {
    const code = `export default humanInTheLoop({ interruptOn: { send_mail: true, ping: { onTimeout: 'allow', timeoutSeconds: 9 } } })`
    const unknown = await tried(code)
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(unknown.stderr).toMatch(
      /^error: interruptOn names "send_mail", .*export them .* as `tools`\. \[policy_invalid\]\n$/,
    )
    const known = await tried(`export const tools = ['send_mail', { name: 'other', risk: 'high' }]\n${code}`)
    expect(known).toMatchObject({ code: 0, stderr: '' })
  })

  it('goes on after a call that the policy fails on, and ends with 1', async () => {
    const done = await tried(
      `export default definePolicy(({ toolName }) => {
        if (toolName === 'ping') throw new Error('no pings')
        return { verdict: 'review' }
      }, { name: 'odd' })`,
    )
    expect(done).toMatchObject({ code: 1, stderr: '' })
    expect(done.stdout).toContain(
      'review → fails   ping  query "x"\n                   "Policy \\"odd\\" threw: no pings."\n',
    )
    expect(done.stdout).toContain('1 could not be judged')
  })

  it.each([
    [
      'a rule that is wrong in itself',
      `export default humanInTheLoop({ interruptOn: { ping: 'yes' } })`,
      'policy_invalid',
    ],
    ['no default export', 'export const policy = 1', 'policy_unreadable'],
    ['something that is no policy', 'export default [{}]', 'policy_unreadable'],
    ['a file that throws', `throw new Error('boom')`, 'policy_unreadable'],
    ['a file that is no JavaScript', 'export default {', 'policy_unreadable'],
  ])('refuses %s in one line', async (_, code, expected) => {
    const done = await tried(code)
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(done.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(done.stderr).toContain(`[${expected}]`)
  })

  it('refuses a missing file, another format, a missing thread, a missing store and a missing name', async () => {
    const dir = tempDir()
    const file = policyFile(dir, RULES)
    expect(holdpoint(dir, ['policy', 'test', file]).stderr).toContain('[store_missing]')
    await record(dir)
    expect(holdpoint(dir, ['policy', 'test', 'none.mjs']).stderr).toContain('[policy_unreadable]')
    expect(holdpoint(dir, ['policy', 'test', policyFile(dir, RULES, 'p.txt')]).stderr).toContain('compile it to .js')
    expect(holdpoint(dir, ['policy', 'test', file, '--thread', 'none']).stderr).toContain('[thread_not_found]')
    expect(holdpoint(dir, ['policy', 'test'])).toMatchObject({ code: 2, stderr: expect.stringContaining('needs FILE') })
    expect(holdpoint(dir, ['policy', 'test', '--help']).stdout).toContain('usage: holdpoint policy test FILE')
  })
})
