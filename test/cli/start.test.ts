import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Browser } from '../support/gateway/browser-session.ts'
import { until } from '../support/until.ts'
import { holdpoint, type Running, start, tempDir } from './support/programs.ts'

const LINK = /^(http:\/\/127\.0\.0\.1:\d+)\/#code=([\w-]+\.[\w-]+)$/m

/** Colleagues decide these at once. */
const COLLEAGUES = ['order-31', 'order-37', 'order-39']

interface Item {
  id: string
  version: number
  digest?: string
  kind: string
  status: string
  risk?: string
  threadId: string
  toolName?: string
  expiresAt?: string
  reason?: string
}

/** The inbox in a folder, with a fixed set of requests, at any port. */
function startIn(folder: string, env: Record<string, string> = {}): Running {
  return start(folder, ['start'], { HOLDPOINT_DATA: folder, PORT: '0', HOLDPOINT_DEMO: 'fixed', ...env })
}

async function linkOf(running: Running): Promise<{ url: string; code: string }> {
  const [, url = '', code = ''] = LINK.exec(await running.shows(LINK)) ?? []
  return { url, code }
}

async function signIn(running: Running): Promise<Browser> {
  const { url, code } = await linkOf(running)
  const browser = new Browser(url)
  expect((await browser.signIn({ code })).status).toBe(200)
  return browser
}

async function openRequests(browser: Browser): Promise<Item[]> {
  const response = await browser.call('GET', '/v1/requests?status=open&limit=50')
  return ((await response.json()) as { requests: Item[] }).requests
}

/** The open requests, as soon as the demo has opened all of the first dozen. */
async function theDozen(browser: Browser): Promise<Item[]> {
  let items: Item[] = []
  await until(async () => {
    items = await openRequests(browser)
    const theirs = items.some(({ threadId }) => COLLEAGUES.includes(threadId))
    return items.length === 12 && !theirs && items.some(({ reason }) => reason === 'changed')
  })
  return items
}

function effectsIn(folder: string): { key: string; what: string; thread: string; by: string }[] {
  const file = join(folder, 'effects.log')
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

async function stopped(running: Running, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<number> {
  running.child.kill(signal)
  return running.ended
}

describe('holdpoint start', () => {
  it('prints a link that signs in, first; serves the page; and has a dozen requests, the first of low risk', async () => {
    const folder = tempDir()
    const running = startIn(folder)
    const { url, code } = await linkOf(running)
    expect(running.output.split('\n')[0]).toBe(`${url}/#code=${code}`)
    await running.shows(`The data is in ${folder}.`)
    expect(statSync(join(folder, 'holdpoint.db')).size).toBeGreaterThan(0)
    const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])

    const browser = await signIn(running)
    const items = await theDozen(browser)
    const byDeadline = items.toSorted((a, b) => Date.parse(a.expiresAt ?? '9999') - Date.parse(b.expiresAt ?? '9999'))
    expect(byDeadline[0]).toMatchObject({ risk: 'low', toolName: 'refund', kind: 'approve' })
    expect(new Set(items.map(({ toolName, kind }) => toolName ?? kind))).toEqual(
      new Set(['refund', 'share_file', 'send_mailing', 'delete_rows', 'deploy', 'set_up_shop', 'close_count']),
    )
    expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(['approve', 'ask', 'confirm']))
    expect(items.find(({ toolName }) => toolName === 'deploy')).toMatchObject({
      reason: 'changed',
      threadId: 'release-318',
    })
  })

  it('ends cleanly at SIGTERM and SIGINT, and goes on with the same requests', async () => {
    const folder = tempDir()
    const first = startIn(folder)
    const before = await theDozen(await signIn(first))
    expect(await stopped(first, 'SIGTERM')).toBe(0)
    expect(existsSync(join(folder, 'running.json'))).toBe(false)

    const second = startIn(folder)
    const browser = await signIn(second)
    expect((await openRequests(browser)).map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort())
    expect(await stopped(second, 'SIGINT')).toBe(0)
    expect(second.output).not.toContain('error')
  })

  it('says at once which folder cannot be made, and link in which folder nothing runs', () => {
    const folder = '/proc/holdpoint/data'
    const refused = holdpoint(tempDir(), ['start'], { HOLDPOINT_DATA: folder, PORT: '0' })
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`${folder} cannot be made`) })
    const empty = tempDir()
    const link = holdpoint(tempDir(), ['link'], { HOLDPOINT_DATA: empty })
    expect(link).toMatchObject({ code: 2, stderr: expect.stringContaining(`Nothing runs in the folder ${empty}`) })
  })

  it('runs once in a folder: a second start prints a link to the first, and link prints another', async () => {
    const folder = tempDir()
    const first = startIn(folder)
    const { url } = await linkOf(first)
    const second = startIn(folder)
    const other = await linkOf(second)
    expect([other.url, await second.ended]).toEqual([url, 0])

    const args = ['link', '--by', 'bea', '--role', 'auditor', '--group', 'legal']
    const printed = holdpoint(folder, args, { HOLDPOINT_DATA: folder })
    expect(printed).toMatchObject({ code: 0, stderr: '' })
    const code = LINK.exec(printed.stdout)?.[2] ?? ''
    const response = await new Browser(url).signIn({ code })
    expect(await response.json()).toMatchObject({ id: 'bea', roles: ['auditor'], groups: ['legal'] })
  })

  it('takes the next port if the usual one is taken, and says so if a port that was asked for is', async () => {
    const blocker = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void blocker.close())
    await new Promise((resolve) => blocker.once('listening', resolve))
    const { port } = blocker.address() as { port: number }
    const folder = tempDir()
    const refused = holdpoint(folder, ['start', '--port', String(port)], {
      HOLDPOINT_DATA: folder,
      HOLDPOINT_DEMO: 'off',
    })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/^error: Port \d+ is taken by another program\. .*--port or PORT.*\n$/)

    const [one, two] = [tempDir(), tempDir()].map((data) =>
      start(data, ['start'], { HOLDPOINT_DATA: data, PORT: undefined, HOLDPOINT_DEMO: 'off' }),
    ) as [Running, Running]
    const ports = [await linkOf(one), await linkOf(two)].map(({ url }) => Number(new URL(url).port))
    expect(new Set(ports).size).toBe(2)
    for (const each of ports) expect(each - 4747).toBeLessThanOrEqual(20)
  })

  it.each([
    [['--port', 'x'], 'a port is a number'],
    [['--demo', 'maybe'], '--demo is on, fixed or off'],
    [['--origin', 'inbox.example.com'], 'origins must be origins'],
  ])('refuses %j', (args, problem) => {
    const folder = tempDir()
    const done = holdpoint(folder, ['start', ...args], { HOLDPOINT_DATA: folder, PORT: '0' })
    expect(done.code).not.toBe(0)
    expect(done.stderr).toContain(problem)
  })
})

describe('kill -9 while people decide', () => {
  it('loses no decision that was answered, and every effect happens once', async () => {
    const folder = tempDir()
    const refunds = ['order-47', 'order-44', 'order-51', 'order-42', 'order-1001']
    // Before the answer came, at once after it, and while the agents go on.
    const delays = [0, 5, 30, 120, 400]
    const decided = new Set<string>()
    let running = startIn(folder)
    let browser = await signIn(running)
    await theDozen(browser)
    for (const [at, threadId] of refunds.entries()) {
      const request = (await openRequests(browser)).find((item) => item.threadId === threadId)
      if (!request) throw new Error(`${threadId} is not open`)
      const body = { decision: { type: 'approve' }, version: request.version, digest: request.digest, undoSeconds: 0 }
      const headers = { 'idempotency-key': `decide-${threadId}` }
      const answer = browser.call('POST', `/v1/requests/${request.id}/decide`, { body, headers })
      if (at > 0) {
        const response = await answer
        expect([response.status, threadId]).toEqual([200, threadId])
        decided.add(request.id)
        await new Promise((resolve) => setTimeout(resolve, delays[at]))
      } else answer.catch(() => undefined)
      await stopped(running, 'SIGKILL')
      running = startIn(folder)
      browser = await signIn(running)
    }
    for (const id of decided) {
      const { request } = (await (await browser.call('GET', `/v1/requests/${id}`)).json()) as { request: Item }
      expect([id, request.status]).toEqual([id, 'decided'])
    }
    // The first was killed before its answer: it may be stored or not. If not, the same call with the same key decides it.
    const first = (await openRequests(browser)).find(({ threadId }) => threadId === 'order-47')
    if (first) {
      const body = { decision: { type: 'approve' }, version: first.version, digest: first.digest, undoSeconds: 0 }
      const headers = { 'idempotency-key': 'decide-order-47' }
      expect((await browser.call('POST', `/v1/requests/${first.id}/decide`, { body, headers })).status).toBe(200)
    }
    const done = () => effectsIn(folder).map(({ thread }) => thread)
    const all = [...refunds, 'order-37', 'order-39'].sort()
    await until(() => all.every((thread) => done().includes(thread)), 90_000)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(done().sort()).toEqual(all)
    expect(await stopped(running, 'SIGTERM')).toBe(0)
  }, 240_000)
})
