import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createGate } from '../../../src/gate.ts'
import { humanInTheLoop } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { startGateway } from '../support/gateways.ts'
import { type Finished, holdpoint, tempDir } from '../support/programs.ts'
import { seed, storePath } from '../support/store.ts'
import { waiting } from '../support/waiting.ts'

/** A person who reads and decides, at a store or at a gateway. */
type Sit = (dir: string) => Promise<(args: readonly string[]) => Finished>

const atStore: Sit = async (dir) => (args) => holdpoint(dir, args, { HOLDPOINT_USER: 'ann' })
const atGateway: Sit = async (dir) => {
  const gateway = await startGateway(dir)
  const env = gateway.env('ann', 'operator')
  // Away from the store: only the gateway can answer.
  const away = tempDir()
  return (args) => holdpoint(args.some((word) => word.endsWith('.mjs')) ? dir : away, args, env)
}

const json = ({ stdout, stderr }: Finished) => {
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

describe.each([
  ['a store', atStore],
  ['a gateway', atGateway],
])('commands at %s', (place, sit) => {
  it('list and show requests', async () => {
    const dir = tempDir()
    const [first, second] = await seed(dir, [{ text: 'one' }, { text: 'two' }])
    const run = await sit(dir)
    expect(run(['requests']).stdout).toMatch(/send {2}text "two"[\s\S]+send {2}text "one"/)
    const { requests, more } = json(run(['requests', '--json', '--limit', '1']))
    expect(requests).toMatchObject([{ id: second, toolName: 'send', args: { text: 'two' }, status: 'open' }])
    expect(more).toBe(true)
    expect(json(run(['requests', '--thread', 't/0', '--json'])).requests).toMatchObject([{ id: first }])
    // The end of an id is enough.
    expect(json(run(['show', first!.slice(-8), '--json']))).toMatchObject({ id: first, version: 1, agent: 'mailer' })
    expect(run(['show', 'ffffffff-not-there']).stderr).toContain('[no_pending_request]')
  })

  it('say where a request can be decided that cannot be decided here', async () => {
    const dir = tempDir()
    const store = sqliteStore({ path: storePath(dir) })
    const policy = (name: string, via: string[]) => humanInTheLoop({ name, interruptOn: { [name]: { via } } })
    const gate = createGate({ store, policy: [policy('Bash', ['inbox']), policy('Pay', ['slack'])], source: 'test' })
    await gate.judge([{ threadId: 's1', callId: 'c1', toolName: 'Bash', args: { command: 'npm publish' } }])
    await gate.judge([{ threadId: 's1', callId: 'c2', toolName: 'Pay', args: { amount: 1 } }])
    await store.close()
    const run = await sit(dir)
    const list = run(['requests']).stdout
    expect(list).toContain('decided only through inbox: sign in at the page of a gateway, such as npx holdpoint serve')
    expect(list).toContain('decided only through slack\n')
    expect(list).toContain('look with  npx holdpoint show ID')
    expect(list).not.toContain('decide with')
    await seed(dir, [{ text: 'one' }])
    const more = run(['requests']).stdout
    expect(more.match(/decided only/g)).toHaveLength(2)
    expect(more).toContain('decide with  npx holdpoint show | approve')
  })

  it('decide, repeat with a key, and say who was faster', async () => {
    const dir = tempDir()
    const ids = await seed(dir, [{ text: 'a' }, { text: 'e' }, { text: 'r' }, { text: 's' }])
    const [approved, edited, rejected, responded] = ids as [string, string, string, string]
    const run = await sit(dir)
    const approve = ['approve', approved, '--comment', 'Fine.', '--idempotency-key', 'k1']
    expect(run(approve).stdout).toContain('Approved by ann')
    expect(run(approve).stdout).toContain('ann decided the same')
    expect(json(run(['edit', edited, '--set', 'text=E', '--json'])).decision).toMatchObject({ args: { text: 'E' } })
    expect(run(['reject', rejected, '--message', 'No.']).stdout).toContain('Rejected by ann')
    expect(json(run(['respond', responded, '--message', 'Done.', '--json'])).decision).toMatchObject({
      type: 'respond',
    })
    const late = run(['reject', approved, '--json'])
    expect(late.code).toBe(1)
    expect(JSON.parse(late.stderr).error.code).toBe(place === 'a store' ? 'stale_answer' : 'already_decided')
    expect(json(run(['requests', '--status', 'decided', '--json'])).requests).toHaveLength(4)
    const stale = run(['approve', approved, '--version', '7'])
    expect(stale.code).toBe(1)
  })

  it('withdraw inside of the undo window', async () => {
    const dir = tempDir()
    const [id] = await seed(dir, [{ text: 'one' }])
    const run = await sit(dir)
    expect(run(['approve', id!, '--undo', '10m']).stdout).toContain('Until then you can take it back:')
    expect(run(['withdraw', id!]).stdout).toContain('The request is open again, at version 3.')
    expect(run(['withdraw', id!]).stderr).toContain('[nothing_to_withdraw]')
  })

  it('close a question without an answer, once and with a reason', async () => {
    const dir = tempDir()
    const { confirm, form, finish } = await waiting(dir)
    const [call] = await seed(dir, [{ text: 'one' }])
    const run = await sit(dir)
    const reason = ['--reason', 'Only the customer knows.']
    expect(run(['cancel', confirm])).toMatchObject({ code: 2, stderr: expect.stringContaining('needs --reason') })
    expect(run(['cancel', call!, ...reason]).stderr).toContain('is about a call: holdpoint reject')
    expect(run(['cancel', confirm, ...reason, '--version', '7']).code).toBe(1)
    expect(run(['cancel', confirm, ...reason])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Cancelled by ann:\n {2}confirm {2}Really\?\n/),
    })
    expect(run(['cancel', confirm, ...reason]).code).toBe(1)
    expect(json(run(['cancel', form, ...reason, '--json']))).toMatchObject({
      id: form,
      status: 'cancelled',
      closedReason: 'Only the customer knows.',
    })
    expect(await finish()).toEqual({ status: 'completed', heard: [] })
  })

  it('give, list and revoke standing decisions', async () => {
    const dir = tempDir()
    const [id] = await seed(dir, [{ text: 'one' }])
    const run = await sit(dir)
    expect(run(['approve', id!, '--always', '--uses', '3']).stdout).toContain('Later calls of send by mailer')
    const { grants } = json(run(['grants', '--json']))
    expect(grants).toMatchObject([{ toolName: 'send', effect: 'allow', uses: 3, used: 0, requestId: id }])
    expect(run(['grants']).stdout).toContain('send runs without asking')
    expect(run(['show', id!]).stdout).toContain('it also gave this standing decision')
    expect(run(['revoke', grants[0].id.slice(-8), '--reason', 'Enough.']).stdout).toContain('revoked by ann')
    expect(run(['grants']).stdout).toContain('There are no standing decisions.')
  })

  it('comment, assign and claim', async () => {
    const dir = tempDir()
    const [id] = await seed(dir, [{ text: 'one' }])
    const run = await sit(dir)
    expect(json(run(['comment', id!, 'I asked \u001b[31mthem.', '--json']))).toMatchObject({ by: { id: 'ann' } })
    expect(run(['show', id!]).stdout).toContain('I asked ‹U+001B›[31mthem.')
    expect(run(['assign', id!, 'bob', '--for', '1h']).stdout).toMatch(/bob has .* now, which ends in/)
    expect(run(['claim', id!]).stderr).toMatch(/\[(request_)?taken\]/)
    expect(run(['assign', id!, '--nobody']).stdout).toContain('Nobody has')
    expect(json(run(['claim', id!, '--json'])).assigned).toMatchObject({ id: 'ann', until: expect.any(String) })
    expect(json(run(['show', id!, '--json']))).toMatchObject({ status: 'open', version: 1 })
  })

  it('read threads, journals, the export, the chains and the figures', async () => {
    const dir = tempDir()
    const [id] = await seed(dir, [{ text: 'one' }, { text: 'two' }])
    const run = await sit(dir)
    run(['reject', id!])
    expect(
      json(run(['threads', '--json']))
        .threads.map(({ id: thread }: { id: string }) => thread)
        .sort(),
    ).toEqual(['t/0', 't/1'])
    expect(run(['threads']).stdout).toMatch(/t\/1 +1 open/)
    const { entries } = json(run(['journal', 't/0', '--json']))
    expect(entries.map(({ seq }: { seq: number }) => seq)).toEqual(entries.map((_: unknown, at: number) => at + 1))
    expect(run(['journal', 't/0', '--after', '2']).stdout).toContain('request.decided')
    expect(json(run(['journal', 't/0', '--last', '2', '--json'])).entries).toEqual(entries.slice(-2))
    expect(json(run(['journal', 't/0', '--last', '1000', '--json'])).entries).toEqual(entries)
    expect(run(['journal', 'nothing-there', '--last', '2']).stderr).toContain('[thread_not_found]')
    for (const wrong of [
      ['--last', '0'],
      ['--last', '1001'],
      ['--last', '2', '--after', '1'],
    ])
      expect(run(['journal', 't/0', ...wrong]).code).toBe(2)
    expect(run(['journal', 'nothing-there']).stderr).toContain('[thread_not_found]')
    const lines = run(['audit', 'export', '--thread', 't/0']).stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(entries.map((entry: object) => ({ thread: 't/0', ...entry })))
    expect(run(['audit', 'export', '--to', '2001-01-01']).stdout).toBe('')
    expect(run(['audit', 'verify'])).toMatchObject({ code: 0, stderr: '' })
    const figures = json(run(['figures', '--json']))
    expect(figures).toMatchObject({
      days: 7,
      counted: 2,
      queueAge: { open: 1 },
      byReviewer: [{ id: 'ann', decided: 1 }],
    })
    expect(run(['figures']).stdout).toMatch(/tool +approved[\s\S]+send +0 +0 +1/)
  })

  it('replay recorded calls through a policy', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'one' }])
    const run = await sit(dir)
    const policy = `export default { name: 'p', version: '1', bind: () => () => ({ verdict: 'deny', reason: 'No.' }) }`
    writeFileSync(join(dir, 'policy.mjs'), policy)
    const { summary } = json(run(['policy', 'test', 'policy.mjs', '--json']))
    expect(summary).toMatchObject({ denied: 1 })
  })
})

describe('a gateway and its people', () => {
  it('what a person may not see looks absent, and an auditor decides nothing', async () => {
    const dir = tempDir()
    const [id] = await seed(dir, [{ text: 'one' }])
    const gateway = await startGateway(dir)
    const run = (sub: string, roles: string[], ...args: string[]) =>
      holdpoint(tempDir(), args, gateway.env(sub, ...roles))
    expect(run('zoe', [], 'requests').stdout).toContain('Nothing waits for a decision.')
    expect(run('zoe', [], 'show', id!).stderr).toContain('[no_pending_request]')
    expect(run('rev', ['reviewer'], 'journal', 't/0').stderr).toContain('[thread_not_found]')
    expect(run('rev', ['reviewer'], 'audit', 'export').stderr).toContain('[not_allowed]')
    expect(run('aud', ['auditor'], 'show', id!).stdout).toContain('"one"')
    const denied = run('aud', ['auditor'], 'approve', id!)
    expect([denied.code, denied.stderr]).toEqual([1, expect.stringContaining('[not_allowed]')])
    const wrong = holdpoint(tempDir(), ['requests'], { HOLDPOINT_URL: gateway.url, HOLDPOINT_TOKEN: 'nonsense' })
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/\[unauth\w+\]/)])
    expect(run('rev', ['reviewer'], 'approve', id!).stdout).toContain('Approved by rev')
  })
})
