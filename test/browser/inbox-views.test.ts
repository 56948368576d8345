import type { Page, Route } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createCode, signInLink } from '../../src/gateway/sign-in/codes.ts'
import type { Store } from '../../src/index.ts'
import { SYSTEM_TENANT } from '../../src/ports/records.ts'
import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import { aliveRecord, usedRecord } from '../../src/worker/shared/live-workers.ts'
import { routeOf } from '../../src/worker/shared/routes.ts'
import { putDeadLetter } from '../../src/worker/shared/stuck.ts'
import { ask, diskStore, inboxOf, seen } from '../support/gateway/inbox-scene.ts'
import { served } from '../support/gateway/served-gateway.ts'
import { soak } from '../support/soak.ts'
import { until } from '../support/until.ts'
import { sharedChromium } from './chromium.ts'
import { axeFindings } from './inbox/axe.ts'
import { LOOKS } from './inbox/looks.ts'

const HOSTILE = '<img src="http://127.0.0.1:1/x">\u202e[a](http://127.0.0.1:1)\u001b[2J'

/** Says in a store that workers drive it, that none is alive, and that they gave a thread up. */
async function giveUp(store: Store, threadId: string): Promise<void> {
  await enqueueRun(store, { agent: { id: 'clerk', version: '7' }, threadId, input: 'go' })
  const { version } = await store.read(threadId)
  const letter = { tries: 9, agent: 'clerk', version: '7', length: version }
  await store.writeRecords([usedRecord, putDeadLetter(threadId, { ...letter, error: { message: `away ${HOSTILE}` } })])
  await store.append({ threadId, version, entries: [], wake: { op: 'set', at: null } })
}

/** Says for some seconds that a worker has other versions of the agent. */
function newer(store: Store): Promise<unknown> {
  const routes = ['8', '10', undefined].map((version) => routeOf('clerk', version))
  return store.tenant(SYSTEM_TENANT).writeRecords([aliveRecord({ id: 'newer', routes, since: 0 })])
}

/** The last entry of a thread. */
async function lastOf(store: Store, threadId: string): Promise<unknown> {
  return JSON.parse((await store.read(threadId)).entries.at(-1)?.body ?? 'null')
}

/** A gateway with a decided request, an open one, and a grant; and a browser in which an admin is signed in. */
async function scene() {
  const store = diskStore()
  const [first] = await ask(store, 'order-41', { args: { amount: 120, to: HOSTILE } })
  const [open] = await ask(store, 'order-42', { args: { amount: 18 } })
  await giveUp(store, 'order-43')
  await giveUp(store, 'order-44')
  await giveUp(store, 'order-45')
  const bob = inboxOf(store).as({ sub: 'bob', roles: ['reviewer'] })
  const { request } = await bob.show(first!)
  const decision = { type: 'approve' }
  const always = { scope: 'thread', uses: 5 }
  const decided = await bob.post(`/v1/requests/${request.id}/decide`, {
    ...seen(request),
    decision,
    always,
    comment: HOSTILE,
  })
  expect(decided.status).toBe(200)
  const { url } = await served({ store, inbox: true })
  const context = await (await sharedChromium()).newContext({ reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const foreign: string[] = []
  page.on('request', (each) => {
    if (each.url().startsWith('http') && new URL(each.url()).origin !== url) foreign.push(each.url())
  })
  const code = await createCode(store, { sub: 'ann', tenant: 'default', roles: ['reviewer', 'admin'] })
  await page.goto(signInLink(url, code))
  await page.waitForURL(/#\/inbox/)
  return { page, url, foreign, store, open: open!, id: request.id }
}

async function show(page: Page, url: string, hash: string): Promise<void> {
  await page.goto(`${url}/${hash}`)
  await page.reload()
  await page.locator('main.page h1').waitFor()
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
}

describe('the other views of the inbox', () => {
  test('axe finds nothing in any of them, in both themes and languages and at phone width', async () => {
    const { page, url, foreign, id } = await scene()
    const views = [`#/decisions/${id}`, '#/grants', '#/figures', '#/thread/order-41', '#/settings']
    const found: string[] = []
    for (const { theme, language, width } of LOOKS.slice(0, soak.times(2, LOOKS.length))) {
      await page.setViewportSize({ width, height: 900 })
      const stored = JSON.stringify({ theme, language })
      await page.evaluate(`localStorage.setItem('holdpoint.preferences', ${JSON.stringify(stored)})`)
      for (const view of views) {
        await show(page, url, view)
        const findings = await axeFindings(page)
        found.push(...findings.map((finding) => `${view} ${theme} ${language} ${width}: ${finding}`))
        const over = await page.evaluate(
          `document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth`,
        )
        if (over !== 0) found.push(`${view} ${width}: ${over} pixels too wide`)
      }
    }
    expect(found).toEqual([])
    expect(foreign).toEqual([])
  })

  test('zoomed in four times, in forced colours and on paper, nothing is lost', async () => {
    const { page, url } = await scene()
    await page.setViewportSize({ width: 360, height: 225 })
    const row = page.locator('.row-link').first()
    await row.scrollIntoViewIfNeeded()
    await row.click()
    const approve = page.locator('#approve')
    await approve.scrollIntoViewIfNeeded()
    expect(await approve.isVisible()).toBe(true)
    // Request and bar scroll together: the bar takes no room of what is read above it.
    expect(await page.locator('.verdict').evaluate((bar) => bar.parentElement?.scrollTop)).toBeGreaterThan(100)
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('#root').evaluate((root) => root.clientHeight)).toBeGreaterThan(500)
    await page.emulateMedia({ media: 'screen', forcedColors: 'active' })
    await page.goto(`${url}/#/settings`)
    const face = page.locator('.switch-face').first()
    expect(await face.evaluate((drawn) => getComputedStyle(drawn).outlineStyle)).toBe('solid')
  })

  test('operators see stuck threads, retry and end them, and a card says that no worker could go on', async () => {
    const { page, url, store, open } = await scene()
    await show(page, url, '#/settings')
    const stuck = page.getByRole('region', { name: 'Stuck threads' })
    await stuck.getByText('order-43').waitFor()
    expect(await stuck.innerText()).toMatch(/failed agent clerk, version 7, 9 tries[\s\S]*away <img/)
    expect(await stuck.locator('img').count()).toBe(0)
    await stuck.getByRole('button', { name: 'Retry order-43' }).click()
    await stuck.getByText('Workers try it again.').waitFor()
    expect((await store.read('order-43')).wake.at).not.toBeNull()
    const late: Route[] = []
    await page.route('**/v1/threads/order-45/abort', (route) => void late.push(route))
    await stuck.getByRole('button', { name: 'End the run of order-45' }).click()
    await page.getByLabel('Reason').fill('enough')
    await page.getByRole('button', { name: 'End the run', exact: true }).click()
    await until(() => late.length === 1)
    await page.getByRole('button', { name: 'Leave it' }).click()
    await late[0]?.fulfill({ status: 409, json: { error: 'thread_busy', detail: 'It is driven right now.' } })
    await stuck.getByRole('alert').waitFor()
    await stuck.getByRole('button', { name: 'End the run of order-44' }).click()
    const dialog = page.getByRole('dialog', { name: 'End this run for good?' })
    await dialog.getByRole('button', { name: 'End the run' }).click()
    await dialog.getByText('Say why: the record keeps it.').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await dialog.getByLabel('Reason').fill('version 7 is gone')
    await dialog.getByRole('button', { name: 'End the run' }).click()
    await stuck.getByText('The run is over.').waitFor()
    const settled = { status: 'aborted', reason: 'version 7 is gone', by: { id: 'ann' } }
    expect(await lastOf(store, 'order-44')).toMatchObject(settled)
    await stuck.getByRole('link', { name: 'order-44' }).click()
    const end = page.locator('.step[data-kind=end]')
    await end.waitFor()
    expect(await end.innerText()).toMatch(/The run was ended for good[\s\S]*version 7 is gone[\s\S]*by you/)
    await page.goto(`${url}/#/inbox/${open}`)
    await page.getByText('Nothing goes on right away.').waitFor()
  })

  test('operators move the run of a stuck thread to a version that live workers have', async () => {
    const { page, url, store } = await scene()
    await show(page, url, '#/settings')
    const stuck = page.getByRole('region', { name: 'Stuck threads' })
    const button = stuck.getByRole('button', { name: 'Move the run of order-45 to another version' })
    await stuck.getByText('order-45').waitFor()
    expect(await button.count()).toBe(0)
    await newer(store)
    await show(page, url, '#/settings')
    await button.click()
    const dialog = page.getByRole('dialog', { name: 'Move this run to another version?' })
    const versions = dialog.getByLabel('Version of its agent')
    expect(await versions.locator('option').allInnerTexts()).toEqual(['the agent without a version', '8', '10'])
    expect(await axeFindings(page)).toEqual([])
    await versions.selectOption('8')
    await dialog.getByLabel('Reason').fill('version 7 is gone')
    await newer(store)
    await dialog.getByRole('button', { name: 'Move the run' }).click()
    await stuck.getByText('The run goes on with that version.').waitFor()
    const moved = { type: 'run.moved', agent: { version: '8' }, reason: 'version 7 is gone', by: { id: 'ann' } }
    expect(await lastOf(store, 'order-45')).toMatchObject(moved)
  })

  test('the record tells who decided, having seen what, and its chain is checked', async () => {
    const { page, url, id } = await scene()
    await show(page, url, `#/decisions/${id}`)
    const entry = page.locator('.chain-one')
    await entry.getByText('seals').waitFor()
    expect(await entry.innerText()).toMatch(/approved[\s\S]*bob[\s\S]*version 1[\s\S]*Not shown to the model/)
    expect(await entry.locator('img, a[href^="http"]').count()).toBe(0)
    await page.getByRole('button', { name: 'Check the chain' }).click()
    await page.getByText('Chain intact:').waitFor()
  })
})
