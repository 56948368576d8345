import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandGroups } from '../../src/cli/commands/index.ts'
import { soak } from '../support/soak.ts'
import { startGateway } from './gateways.ts'
import { holdpoint, holdpointProcess, tempDir } from './programs.ts'
import { seed } from './store.ts'

/** They run until they are stopped, or talk: `start.test.ts`, `demo.test.ts`, `inbox.test.ts` and `hooks/processes.test.ts` run them as processes. */
const ELSEWHERE = ['start', 'demo', 'inbox', 'serve', 'worker', 'gate']

const POLICY = `export default { name: 'p', version: '1', bind: () => () => ({ verdict: 'deny', reason: 'No.' }) }`
const AGENTS = `import { Agent } from '${new URL('../../dist/index.js', import.meta.url).href}'
import { scriptedModel } from '${new URL('../../dist/testing.js', import.meta.url).href}'
export default new Agent({ name: 'other', model: scriptedModel([]) })
`
const ENV = { HOLDPOINT_AUDIT_KEY: undefined, HOLDPOINT_JWT_SECRET: 'a secret of the tests, which is long enough' }

/** The arguments of each command, and how it exits if not with 0. In this order: some use what others left. */
async function callsIn(dir: string): Promise<[command: string, args: string[], code?: number][]> {
  const [a, b, c, d, e, f] = (await seed(
    dir,
    [...'abcdef'].map((text) => ({ text })),
  )) as [string, ...string[]]
  writeFileSync(join(dir, 'policy.mjs'), POLICY)
  writeFileSync(join(dir, 'agents.mjs'), AGENTS)
  writeFileSync(join(dir, 'keys'), 'k1:a secret\n')
  holdpoint(dir, ['approve', f!, '--always', '--undo', '10m'])
  const { grants } = JSON.parse(holdpoint(dir, ['grants', '--json']).stdout)
  const webhook = JSON.parse(holdpoint(dir, ['webhooks', 'add', 'https://example.com/one', '--json']).stdout)
  return [
    ['requests', []],
    ['show', [a]],
    ['approve', [a]],
    ['edit', [b!, '--set', 'text=B']],
    ['reject', [c!]],
    ['respond', [d!, '--message', 'Done.']],
    ['answer', [e!, 'yes'], 2],
    ['cancel', [e!, '--reason', 'Nobody knows.'], 2],
    ['comment', [e!, 'Hm.']],
    ['assign', [e!, 'bob']],
    ['claim', [e!], 1],
    ['revoke', [grants[0].id]],
    ['withdraw', [f!]],
    ['grants', []],
    ['threads', []],
    ['retry', ['t/0']],
    ['journal', ['t/0']],
    ['figures', []],
    ['webhooks list', []],
    ['webhooks add', ['https://example.com/two']],
    ['webhooks pause', [webhook.id]],
    ['webhooks resume', [webhook.id]],
    ['webhooks rotate', [webhook.id]],
    ['webhooks remove', [webhook.id]],
    ['webhooks dead', []],
    ['webhooks resend', ['msg_x'], 1],
    ['audit verify', []],
    ['audit export', []],
    ['audit sign', ['--audit-key-file', 'keys']],
    ['doctor', []],
    ['policy test', ['policy.mjs']],
    ['gate install', ['codex', '--policy', 'policy.mjs', '--print']],
    ['pending', ['--against', 'agents.mjs'], 1],
    ['migrate', ['--print']],
    ['token', ['--sub', 'ann']],
    ['erase', ['--thread', 't/0', '--reason', 'over', '--abort', '--audit-key-file', 'keys']],
    ['link', ['--data', dir], 2],
  ]
}

describe('as a process of its own', () => {
  it('every command exits by itself', { timeout: 600_000 }, async () => {
    const dir = tempDir()
    const calls = await callsIn(dir)
    const names = commandGroups.flatMap(({ commands }) => commands.map(({ name }) => name))
    expect([...calls.map(([name]) => name), ...ELSEWHERE].sort()).toEqual([...names].sort())
    // In the short form every second one: the others run all the same, for those that use what they leave.
    const chosen = new Set(soak.sample(names, { part: 0, of: 2 }))
    const exits = calls.map(([name, args]) => {
      const runIt = chosen.has(name) ? holdpointProcess : holdpoint
      const { code, stderr } = runIt(dir, [...name.split(' '), ...args], ENV)
      return { name, code, ...(code === 0 ? {} : { stderr }) }
    })
    expect(exits).toEqual(
      calls.map(([name, , code = 0]) => ({ name, code, ...(code === 0 ? {} : { stderr: expect.any(String) }) })),
    )
  })

  it('commands that read, decide and stream at a gateway exit by themselves', async () => {
    const dir = tempDir()
    const [id] = await seed(dir, [{ text: 'one' }])
    const gateway = await startGateway(dir)
    const env = gateway.env('ann', 'operator')
    for (const args of [['requests'], ['approve', id!], ['journal', 't/0'], ['audit', 'export']])
      expect([args, holdpointProcess(tempDir(), args, env)]).toMatchObject([args, { code: 0, stderr: '' }])
  })
})
