import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.js'
import { TSC } from '../../scripts/lib/tsc.js'

/** Inside of the package, so that `import 'holdpoint'` means dist/, as package.json says. */
const built = join(ROOT, '.build', `examples-${process.pid}`)
let dir = ''

function node(...args: string[]): string {
  return nodeReading('', args)
}

/** Runs Node on what is typed into it. */
function nodeReading(input: string, args: string[]): string {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' }
  const done = spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8', timeout: 120_000, env, input })
  if (done.status !== 0) throw new Error(`${args.join(' ')} ended with ${done.status}:\n${done.stdout}${done.stderr}`)
  return done.stdout
}

/** Runs an example in an empty folder; resolves to the lines that it printed. */
function example(name: string, ...args: string[]): string[] {
  return node(join(built, name, 'main.js'), ...args)
    .trimEnd()
    .split('\n')
}

beforeAll(() => {
  dir = ROOT
  node(...TSC, '-p', 'tsconfig.examples.json', '--outDir', built)
})
afterAll(() => rmSync(built, { recursive: true, force: true }))
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdpoint-examples-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

describe('the examples', () => {
  it('are all run here', () => {
    const folders = readdirSync(join(ROOT, 'examples'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).sort()).toEqual([
      'ai-sdk-chat',
      'ai-sdk-gate',
      'ai-sdk-model',
      'apply-patch',
      'ask-user',
      'coding-agent',
      'dbos',
      'embed-react',
      'gate',
      'langchain',
      'live-thread',
      'local-shell',
      'many-agents',
      'mcp-proxy',
      'mcp-tools',
      'openai-agents',
      'pause-and-resume',
      'policies',
      'remote-approval',
      'resumable-tool',
      'several-decisions',
      'slack-channel',
      'state-in-a-file',
      'streaming',
      'terminal-approval',
      'workers',
      'your-first-test',
    ])
  })

  it('langchain asks about a batch once, and three answers at once pay once', () => {
    expect(example('langchain')).toEqual([
      'asked about {"order":"A-1","cents":1999}',
      'asked about {"order":"A-3","cents":3000}',
      '1999 cents paid back for A-1',
      'A-2: lost',
      'A-3 has arrived.',
      '1999 cents paid',
    ])
  })

  it('openai-agents runs what was edited, and a restored state pays nothing again', () => {
    expect(example('openai-agents')).toEqual([
      'paused: 2 calls, 500 cents paid',
      'Both are settled. 2499 cents paid',
      'restored: 2499 cents paid',
    ])
  })

  it('many-agents surfaces what a nested agent asks, and goes on from text', () => {
    expect(example('many-agents')).toEqual([
      'Triage > Billing > Cashier wants to run refund {"orderId":42,"cents":1999}',
      'Billing: Order 42: 1999 cents are on their way.',
    ])
  })

  it('workers drives a run that another process stored, and resumes it after a decision', () => {
    const lines = example('workers')
    expect([lines[0], lines.at(-1)]).toEqual(['web: stored', 'worker: stopped'])
    const [, ...between] = lines.slice(0, -1)
    expect(between.sort()).toEqual(['ann: approved', 'worker: order-47 over', 'worker: order-47 waiting'])
  })

  it('pause-and-resume stops before the refund, and goes on in another process', () => {
    const waiting = 'waiting: refund {"orderId":"42","cents":1999}'
    expect(example('pause-and-resume', 'start')).toEqual([waiting])
    expect(example('pause-and-resume', 'resume')).toEqual([waiting])
    expect(example('pause-and-resume', 'approve')).toEqual(['decided: approve refund'])
    const completed = 'completed: About your order: 1999 cents were paid back.'
    expect(example('pause-and-resume', 'resume')).toEqual([
      expect.stringMatching(/^paying 1999 cents for order 42, key [0-9a-f]{8}…$/),
      completed,
    ])
    // A finished run returns its result again and pays nothing.
    expect(example('pause-and-resume', 'resume')).toEqual([completed])
  })

  it('state-in-a-file resumes from a signed text and refuses a changed one', () => {
    expect(example('state-in-a-file')).toEqual([
      'written: 1 call waits in state.json',
      'completed: The result was: sent to ann@example.com',
      'refused: state_signature_invalid',
    ])
  })

  it('several-decisions decides three calls at once', () => {
    expect(example('several-decisions')).toEqual([
      'waiting: refund {"cents":199900} (approve, edit, reject, respond)',
      'waiting: send_mail {"body":"We are sorry."} (approve, edit, reject, respond)',
      'waiting: close_account {} (approve, edit, reject, respond)',
      'refused: edit_invalid, 3 still wait',
      'Order 42: one lamp, 19.99.',
      '[A person changed this call before it ran. What ran: refund {"cents":1999}]',
      '1999 cents paid back, approved by ann.',
      'Mail sent.',
      'Never close an account for this.',
    ])
  })

  it('gate holds a call of another agent, runs it once and refuses a forged one', () => {
    expect(example('gate')).toEqual([
      'free, held',
      'Order 42: one lamp, 19.99.',
      'not run: held',
      'released by ann',
      '1999 cents paid back',
      '1999 cents paid back',
      'refused 1999',
    ])
  })

  it('ai-sdk-gate runs what was decided elsewhere, once, and no made-up call', () => {
    expect(example('ai-sdk-gate')).toEqual([
      'asked: {"order":"42","cents":199900}',
      'answer about refund: not-open',
      'paying 1999 cents',
      'Done: 1999 cents paid back.',
      'answer about refund: not-open',
      'Done: 1999 cents paid back.',
      'answer about refund: not-open',
      'open requests: 0',
    ])
  })

  it('ai-sdk-chat asks on a page, which is loaded again and answers', () => {
    expect(example('ai-sdk-chat')).toEqual([
      'I look into it. (approval-requested)',
      'I look into it. (approval-requested)',
      'paying 1999 cents for order 42',
      expect.stringMatching(/^I look into it\. \(output-available\) Done: \[A person changed this call/),
      '1999 cents paid back',
    ])
  })

  it('policies asks by tool name, denies by code, and decides in order', () => {
    expect(example('policies')).toEqual([
      'refused: policy_invalid',
      'Tool execution pending approval',
      '',
      'Tool: write_file',
      'Args: {"path":"backup.csv","text":"id,created_at"}',
      '  accepts approve, edit, reject, respond',
      'Tool execution pending approval',
      '',
      'Tool: execute_sql',
      'Args: {"query":"DELETE FROM records"}',
      '  accepts approve, reject',
      'records: 3 rows.',
      '[A person changed this call before it ran. What ran: write_file {"path":"backups/records.csv","text":"id,created_at"}]',
      'backups/records.csv is written.',
      'Only records older than 30 days.',
      'Not run: DROP is never allowed.',
    ])
  })

  it('ai-sdk-model outlives a provider that fails, and pays once', () => {
    const down =
      'failed: The model failed: local.chat/small (asked 3 times): status 500, out of order. Nothing was lost: resume the run to ask it again.'
    expect(example('ai-sdk-model')).toEqual([
      'asking again: too many requests',
      'waiting: refund {"cents":1999}',
      'paying 1999 cents',
      'asking again: out of order',
      'asking again: out of order',
      down,
      'completed: Good news: 1999 cents were paid back.',
      '56 tokens in 2 answers, 6 requests',
    ])
  })

  it('local-shell runs what code lets run, asks about the rest, and stays in its folder', () => {
    expect(example('local-shell')).toEqual([
      'asked: ["rm notes.txt"]',
      'asked: ["sleep 60"]',
      'read: exit code 0 / stdout: / one / two /  /  / exit code 0 / stdout: / 2 notes.txt / ',
      'all: Delete files one by one.',
      'one: exit code 0',
      'out: The tool failed: "../../etc/passwd" is outside the folder',
      'late: timed out',
      'The notes are gone.',
    ])
  })

  it('apply-patch shows diffs, and writes what a person made of them', () => {
    expect(example('apply-patch')).toEqual([
      '*** Update File: docs/greeting.txt',
      ' Hello',
      '-world',
      '+wrold',
      '',
      'new: created docs/greeting.txt',
      expect.stringMatching(/^change: \[A person changed this call/),
      'updated docs/greeting.txt',
      'escape: The tool failed: ../outside.txt is outside the folder',
      'docs "Hello\\neverybody\\n"',
    ])
  })

  it('coding-agent holds a command until a person has changed it, and the agent cannot approve itself', () => {
    expect(example('coding-agent')).toEqual([
      'Read → nothing: the rules of Claude Code apply',
      'approved by the agent itself → 403',
      'Bash npm publish → allow: {"command":"npm publish --dry-run"}',
      'its end is recorded: completed',
      'Bash npm publish → deny: Once is enough.',
    ])
  })

  it('mcp-proxy lets reading run, holds a payment and forwards it once when its client asks again', () => {
    expect(example('mcp-proxy')).toEqual([
      'balance, pay',
      'balance: 5000',
      'Held for approval',
      'balance: 5000',
      'balance: 4000',
    ])
  })

  it('mcp-tools asks about the tools of a server that was started for it', () => {
    expect(example('mcp-tools')).toEqual([
      'shop__stock: medium risk, free',
      'shop__order: high risk, asked',
      'asked: shop__order {"article":"chair","count":40}',
      expect.stringContaining('Done: [A person changed this call'),
      '4 of chair ordered',
    ])
  })

  it('slack-channel asks in Slack, refuses a forged click and takes a signed one', () => {
    expect(example('slack-channel')).toEqual([
      '#approvals: May I run refund {"orderId":"42"}?',
      'forged: not signed by Slack',
      'approve by U-ann: completed',
    ])
  })

  it('live-thread waits on a channel and tells what happens', () => {
    const lines = example('live-thread')
    expect(lines).toEqual(
      expect.arrayContaining([
        '4 asked: delete_file {"path":"old.log"}',
        '5 answered: {"type":"approve"}',
        '7 result: old.log is deleted',
        '> I deleted old.log.',
        '18 result: Never delete a PDF.',
        '> Then I leave taxes.pdf alone.',
      ]),
    )
    const numbers = lines.filter((line) => !line.startsWith('>')).map((line) => Number.parseInt(line, 10))
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  })

  it('resumable-tool builds once, though its body is entered twice', () => {
    expect(example('resumable-tool')).toEqual([
      '  the body is entered',
      '  building',
      'first process: suspended',
      'second process: Publish app-7.0.0.tgz?',
      '  the body is entered',
      '  publishing',
      'second process: completed, Release: app-7.0.0.tgz is published',
    ])
  })

  it('ask-user shows a form and checks the answers', () => {
    const lines = example('ask-user')
    expect(lines.slice(0, 2)).toEqual([
      'size: Which size? Small, Large',
      'toppings: Which toppings? Olives, Capers, Something else',
    ])
    expect(lines[3]).toMatch(/^refused: .*"huge" is not one of the options.*still open\.$/)
    expect(lines[4]).toBe('Ordered: {"size":"l","toppings":["olives","walnuts"]}')
  })

  it('streaming is read while it runs, pauses, goes on, and can be left', () => {
    const lines = example('streaming')
    expect(lines).toEqual([
      ...['I', 'pay', 'it', 'back.'].map((word) => `word: ${word}`),
      'call: refund',
      'asked: refund {"cents":1999}',
      'interrupted: 1 call waits',
      'completed: [The ][money ][is ][on ][its ][way.]',
      'incomplete, cancelled',
      'completed: Good bye, Ann.',
      '6 messages are remembered',
    ])
  })

  it('terminal-approval asks on the terminal, and keeps the run in a file meanwhile', () => {
    const main = join(built, 'terminal-approval', 'main.js')
    const asked =
      'Agent Data agent would like to use the tool get_weather with {"location":"San Francisco"}. Do you approve? (y/n): '
    const oakland = 'The weather in Oakland is sunny'
    expect(nodeReading('Yes\n', [main])).toBe(`${asked}Yes\n${oakland}\nThe weather in San Francisco is sunny\n`)
    expect(existsSync(join(dir, 'result.json'))).toBe(true)
    const rejected = nodeReading('n\n', [main])
    expect(rejected).toContain(`${asked}n\n${oakland}\n`)
    expect(rejected).not.toContain('San Francisco is sunny')
    // Nobody is there to say yes.
    expect(nodeReading('', [main])).toBe(rejected)
  })

  it('remote-approval is decided by a person in another process, over HTTP', () => {
    expect(example('remote-approval')).toEqual([
      'ann is asked: refund {"orderId":"42","cents":199900}',
      'ann decides: edit',
      'refunding 1999 cents for order 42',
      'ann is asked: send_mail {"to":"bob@example.com","text":"It is on its way!!!"}',
      'ann decides: reject',
      'completed: The last result was: I write to him myself.',
    ])
  })

  it('your-first-test passes as it is', () => {
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
    const printed = node(vitest, 'run', '--root', join(ROOT, 'examples/your-first-test'))
    expect(printed).toMatch(/Tests\s+3 passed/)
  })
})
