import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { storeGate } from '../../src/cli/gate/store-gate.ts'
import { createGate } from '../../src/gate.ts'
import { type HitlRequest, humanInTheLoop, openDesk, type Store } from '../../src/index.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { policyFile, startHook, tryInShell, type Under } from '../cli/hooks/hook-process.ts'
import { inputOf } from '../cli/hooks/input-of.ts'
import { type Finished, tempDir } from '../cli/support/programs.ts'
import { Browser } from '../support/gateway/browser-session.ts'
import { post, served, tokenOf } from '../support/gateway/served-gateway.ts'
import { until } from '../support/until.ts'

// An agent with a shell must not approve its own calls. The agent is a real process: it runs the hook, and beside it whatever its shell could run.

const PRE = inputOf('claude-code-pre')
const isRoot = process.getuid?.() === 0
const NOBODY = 65_534

/** A gateway and its store, in a folder that only its own user can open. */
async function scene() {
  const home = tempDir()
  const folder = join(home, 'gateway')
  mkdirSync(folder, { mode: 0o700 })
  const path = join(folder, 'store.db')
  const store = sqliteStore({ path })
  onTestFinished(() => store.close())
  const policy = humanInTheLoop({ interruptOn: { Bash: { via: ['inbox'] } } })
  const gate = (host: { tenant: string; source: string }) => createGate({ store, policy, ...host })
  const { url } = await served({ store, inbox: true, gate, undoSeconds: 0 })
  const cwd = join(home, 'agent')
  mkdirSync(cwd)
  // The agent's user must be able to go there.
  for (const dir of [home, cwd]) chmodSync(dir, 0o755)
  return { url, store, path, cwd }
}

async function asked(store: Store): Promise<HitlRequest> {
  const desk = openDesk({ store })
  let found: HitlRequest | undefined
  await until(async () => {
    found = (await desk.list({ status: 'open' })).requests[0]
    return found !== undefined
  })
  return found!
}

/** A person signs in with a credential of their own and approves. */
async function approveAsPerson(url: string, request: HitlRequest): Promise<void> {
  const browser = new Browser(url)
  expect((await browser.signIn({ token: await tokenOf('ann', { roles: ['reviewer'] }) })).status).toBe(200)
  expect((await decideAs(browser, request)).status).toBe(200)
}

function decideAs(browser: Browser, { id, version, digest }: HitlRequest): Promise<Response> {
  return browser.call('POST', `/v1/requests/${id}/decide`, { body: { version, digest, decision: { type: 'approve' } } })
}

async function expectAllowed(hook: Under): Promise<void> {
  const { stdout, code } = await hook.ended
  expect([JSON.parse(stdout).hookSpecificOutput.permissionDecision, code]).toEqual(['allow', 0])
}

function expectFailed(ends: readonly Finished[], problem: RegExp): void {
  expect(ends.length).toBeGreaterThan(0)
  for (const { code, stderr } of ends) {
    expect(code).not.toBe(0)
    expect(stderr).toMatch(problem)
  }
}

const command = (...args: string[]) => ({ run: 'holdpoint', args }) as const

describe('behind a gateway that another user runs', () => {
  async function held() {
    const { url, store, path, cwd } = await scene()
    const token = await tokenOf('dev-agent', { roles: ['agent', 'admin', 'reviewer'] })
    const agent = { cwd, env: { HOLDPOINT_TOKEN: token }, ...(isRoot ? { uid: NOBODY } : {}) }
    const ask = { source: 'claude-code', call: { threadId: 's1', toolName: 'Bash', args: { command: 'npm publish' } } }
    expect(await (await post(url, '/v1/gate/judge', { token, body: ask })).json()).toMatchObject({ status: 'held' })
    const request = await asked(store)
    const stillOpen = async () => expect((await openDesk({ store }).get(request.id)).status).toBe('open')
    return { url, store, path, token, agent, request, stillOpen }
  }

  test('the gated process cannot approve its call by command or with its token, and a person can', async () => {
    const { url, store, cwd } = await scene()
    const token = await tokenOf('dev-agent', { roles: ['agent', 'admin', 'reviewer'] })
    const agent = { cwd, env: { HOLDPOINT_TOKEN: token }, ...(isRoot ? { uid: NOBODY } : {}) }
    const hook = startHook(['gate', '--host', 'claude-code', '--gateway', url], PRE, agent)
    const request = await asked(store)
    const { id, version, digest } = request
    const attempts = [command('approve', id, '--url', url), command('requests', '--url', url)]
    expectFailed(await tryInShell(agent, attempts), /not_allowed|for people/)
    const body = { version, digest, decision: { type: 'approve' } }
    expect((await post(url, `/v1/requests/${id}/decide`, { token, body })).status).toBe(403)
    expect((await post(url, '/v1/requests/decide', { token, body: { items: [{ id, ...body }] } })).status).toBe(403)
    expect((await openDesk({ store }).get(id)).status).toBe('open')
    await approveAsPerson(url, request)
    await expectAllowed(hook)
  })

  test('the gated process cannot sign in with its token', async () => {
    const { url, token, stillOpen } = await held()
    const browser = new Browser(url)
    expect((await browser.signIn({ token })).status).toBe(403)
    expect(browser.cookie).toBeUndefined()
    await stillOpen()
  })

  test.runIf(isRoot)('the gated process cannot open the store file, nor make a sign-in link with it', async () => {
    const { url, path, agent, request, stillOpen } = await held()
    const attempts = [
      command('approve', request.id, '--store', path),
      command('link', '--store', path, '--url', url),
      { run: 'decide', path, id: request.id, by: { kind: 'person', id: 'ann', via: 'inbox' } } as const,
    ]
    expectFailed(await tryInShell(agent, attempts), /permission denied/)
    await stillOpen()
  })

  test('the token of a person opens no requests: it could decide them', async () => {
    const { url } = await scene()
    const token = await tokenOf('ann', { roles: ['reviewer', 'admin'] })
    for (const path of ['judge', 'wait', 'spend', 'finished']) {
      const body = { source: 'claude-code', call: { threadId: 't', toolName: 'Bash', args: {} } }
      expect((await post(url, `/v1/gate/${path}`, { token, body })).status).toBe(403)
    }
  })
})

describe('at a store of its own user, with the door inbox', () => {
  async function held() {
    const { url, store, path, cwd } = await scene()
    const policies = [humanInTheLoop({ interruptOn: { Bash: true } })]
    const gate = storeGate({ store, policies, source: 'claude-code', principal: 'dev', via: ['inbox'] })
    await gate.judge({ threadId: 's1', toolName: 'Bash', args: { command: 'npm publish' } })
    const request = await asked(store)
    const stillOpen = async () => expect((await openDesk({ store }).get(request.id)).status).toBe('open')
    return { url, store, path, agent: { cwd }, request, stillOpen }
  }

  test('the gated process cannot approve its call by command, and a person who signs in can', async () => {
    const { url, store, path, cwd } = await scene()
    const policy = policyFile(cwd)
    const hook = startHook(['gate', '--host', 'claude-code', '--policy', policy, '--store', path], PRE, { cwd })
    const request = await asked(store)
    expect(request.via).toEqual(['inbox'])
    const approve = ['approve', request.id, '--store', path]
    const attempts = [
      command(...approve),
      command(...approve, '--always', '--scope', 'agent'),
      command(...approve, '--as', 'ann'),
    ]
    expectFailed(await tryInShell({ cwd }, attempts), /only be decided through: inbox/)
    expect((await openDesk({ store }).get(request.id)).status).toBe('open')
    await approveAsPerson(url, request)
    await expectAllowed(hook)
  })

  test('the gated process cannot approve its call through the desk of the store, unless it forges the door', async () => {
    const { store, path, agent, request, stillOpen } = await held()
    const actors = [
      { kind: 'person', id: 'ann' },
      { kind: 'person', id: 'ann', via: 'cli' },
      { kind: 'system', id: 'holdpoint', via: 'inbox' },
    ] as const
    const attempts = actors.map((by) => ({ run: 'decide', path, id: request.id, by }) as const)
    expectFailed(await tryInShell(agent, attempts), /only be decided through|ReviewerNotAllowed|reviewer_not/)
    const decision = { type: 'approve' } as const
    await expect(
      openDesk({ store }).decide({ request, decision, by: { kind: 'person', id: 'ann', via: 'channel' } }),
    ).rejects.toMatchObject({ code: 'reviewer_not_allowed' })
    await stillOpen()
  })

  test('the gated process cannot approve its call by a sign-in link', async () => {
    const { url, path, agent, request, stillOpen } = await held()
    const [made] = await tryInShell(agent, [command('link', '--store', path, '--url', url, '--by', 'ann')])
    expect(made).toMatchObject({ code: 0 })
    const browser = new Browser(url)
    expect((await browser.signIn({ code: new URL(made!.stdout.trim()).hash.replace('#code=', '') })).status).toBe(200)
    const seen = await (await browser.call('GET', `/v1/requests/${request.id}`)).json()
    expect(seen).toMatchObject({ request: { mayDecide: false } })
    const refused = await decideAs(browser, request)
    expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([
      403,
      expect.stringContaining('not through link'),
    ])
    await stillOpen()
  })
})
