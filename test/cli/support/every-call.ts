import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { holdpoint } from './programs.ts'
import { seed } from './store.ts'

/** They run until they are stopped, or talk: `start.test.ts`, `demo.test.ts`, `inbox.test.ts` and `hooks/processes.test.ts` and `mcp-proxy.test.ts` run them as processes. */
export const ELSEWHERE = ['start', 'demo', 'inbox', 'serve', 'worker', 'gate', 'mcp-proxy']

const POLICY = `export default { name: 'p', version: '1', bind: () => () => ({ verdict: 'deny', reason: 'No.' }) }`
const AGENTS = `import { Agent } from '${new URL('../../../dist/index.js', import.meta.url).href}'
import { scriptedModel } from '${new URL('../../../dist/testing.js', import.meta.url).href}'
export default new Agent({ name: 'other', model: scriptedModel([]) })
`
/** What the calls need. */
export const ENV = {
  HOLDPOINT_AUDIT_KEY: undefined,
  HOLDPOINT_JWT_SECRET: 'a secret of the tests, which is long enough',
}

/** The arguments of each command, and how it exits if not with 0. In this order: some use what others left. */
export async function callsIn(dir: string): Promise<[command: string, args: string[], code?: number][]> {
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
    ['abort', ['t/0', '--reason', 'over']],
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
    ['link', ['--url', 'https://inbox.example.com', '--data', join(dir, '.holdpoint')]],
  ]
}
