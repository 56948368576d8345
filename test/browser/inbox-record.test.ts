import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { erase, openDesk, RunState, run, type Store } from '../../src/index.ts'
import { tamperWith } from '../support/stores/tamper.ts'
import { agentOf, refundOf, wish } from './inbox/company.ts'
import { useInbox } from './inbox/scene.ts'

vi.setConfig({ maxConcurrency: 2 })

const inbox = useInbox()

/** A refund that was approved with a grant, and one in the same thread that ran by it. */
async function runByGrant(store: Store, threadId: string): Promise<void> {
  const agent = agentOf([refundOf(4200)])
  const { interruptions } = await run(agent, 'Refund it.', { store, threadId })
  const request = interruptions[0]!.id
  await openDesk({ store }).decide({
    request,
    decision: { type: 'approve' },
    always: { scope: 'thread', uses: 5 },
    by: 'bob',
  })
  await run(agent, await RunState.load(agent, { threadId, store }), { store })
  const again = await run(agentOf([refundOf(4200)]), 'Once more.', { store, threadId })
  expect(again.status).toBe('completed')
}

describe.concurrent('the record', () => {
  it('is exported by a click, its chain is checked, and a file that was tampered with is found out', async () => {
    const server = await inbox.serve()
    await runByGrant(server.store, 'order-41')
    const [first, second] = await wish(server.store, refundOf(4300), refundOf(4400))
    const { page } = await inbox.seat(server, { sub: 'ann', roles: ['auditor'] })
    await page.getByRole('link', { name: 'Decisions' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^holdpoint-audit-\d{4}-\d\d-\d\d\.jsonl$/)
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n')
    const exported = lines.map((line) => JSON.parse(line) as { thread: string; hash: string; entry: { type: string } })
    const { entries } = await server.store.read('order-41')
    const ofThread = exported.filter(({ thread }) => thread === 'order-41')
    expect(ofThread.map(({ entry }) => entry)).toEqual(entries.map(({ body }) => JSON.parse(body)))
    expect(ofThread.every(({ hash }) => /^[0-9a-f]{64}$/.test(hash))).toBe(true)
    expect(ofThread.filter(({ entry }) => entry.type === 'request.decided')).toHaveLength(1)

    // The last decision is first, whenever it was asked for.
    const desk = openDesk({ store: server.store })
    await desk.decide({ request: second!, decision: { type: 'reject' }, by: 'bob' })
    await desk.decide({ request: first!, decision: { type: 'approve' }, by: 'bob' })
    await page.reload()
    await page.locator('.link-row').nth(2).waitFor()
    expect(await page.locator('.link-row').allInnerTexts()).toEqual([
      expect.stringContaining('€43.00'),
      expect.stringContaining('€44.00'),
      expect.stringContaining('€42.00'),
    ])

    const check = page.getByRole('button', { name: 'Check the chain' })
    await check.click()
    await page.getByText('Chain intact:').waitFor()
    const changed = tamperWith(
      server.path,
      `UPDATE entries SET body = replace(body, 'ada@example.com', 'eve@example.com') WHERE body LIKE '%order-41%' OR body LIKE '%ada@example.com%'`,
    )
    expect(changed).toBeGreaterThan(0)
    await check.click()
    const broken = page.getByRole('alert').filter({ hasText: 'The chain is broken.' })
    await broken.getByText('order-41').waitFor()
    expect(await page.getByText('Chain intact:').count()).toBe(0)
  })

  it('a thread is not called intact because the one that was shown before was checked', async () => {
    const server = await inbox.serve()
    await runByGrant(server.store, 'order-41')
    await runByGrant(server.store, 'order-42')
    const { page } = await inbox.seat(server, { sub: 'ann', roles: ['auditor'] })
    await page.goto(`${server.url}/#/thread/order-41`)
    await page.getByRole('button', { name: 'Check this chain' }).click()
    await page.getByText(/intact/i).waitFor()
    await page.goto(`${server.url}/#/thread/order-42`)
    await page.getByRole('heading', { level: 1, name: 'order-42' }).waitFor()
    expect(await page.getByText(/intact/i).count()).toBe(0)
  })

  it('says why somebody was not asked, to those who may know; a reload of any view keeps the view', async () => {
    const server = await inbox.serve()
    await runByGrant(server.store, 'order-41')
    const [open] = await wish(server.store, refundOf(4300), { tool: 'look_up', args: { order: 7 } })
    const { page } = await inbox.seat(server, { sub: 'ann', roles: ['operator'] })
    await page.getByRole('link', { name: 'Decisions' }).click()
    await page.getByRole('button', { name: 'Not asked' }).click()
    const granted = page.locator('[data-outcome=grant]')
    await granted.waitFor()
    expect(await granted.innerText()).toMatch(/ran by grant\s+refund A grant covers it/)
    await page.getByText('1 call that no policy holds').click()
    expect(await page.locator('[data-outcome=policy]').innerText()).toContain('look_up')
    await page.getByLabel('Search decisions').fill('no such tool')
    await page.getByText('every call was asked about, or none was made').waitFor()
    await page.getByLabel('Search decisions').fill('')
    await granted.getByRole('link', { name: 'order-41' }).click()
    await page.getByRole('heading', { level: 1 }).filter({ hasText: 'order-41' }).waitFor()

    const views = {
      '#/thread/order-41': 'order-41',
      '#/decisions': 'Decisions',
      '#/grants': 'Grants',
      '#/figures': 'Figures',
      '#/settings': 'Settings',
      [`#/inbox/${open}`]: '€43.00',
    }
    for (const [hash, title] of Object.entries(views)) {
      await page.goto(`${server.url}/${hash}`)
      await page.reload()
      await page.getByRole('heading', { level: 1 }).filter({ hasText: title }).waitFor()
      expect(new URL(page.url()).hash).toBe(hash)
    }

    const reviewer = await inbox.seat(server)
    await reviewer.page.getByRole('link', { name: 'Decisions' }).click()
    await reviewer.page.getByRole('button', { name: 'Not asked' }).click()
    await reviewer.page.getByRole('link', { name: 'Grants in force' }).click()
    await reviewer.page.getByRole('heading', { name: 'Grants', level: 1 }).waitFor()
    expect(reviewer.requested.filter((url) => url.includes('/v1/audit'))).toEqual([])
  })

  it('an erased thread leaves nothing on open pages: the story says that it was erased, and cards cannot be decided', async () => {
    const server = await inbox.serve()
    const [open] = await wish(server.store, refundOf(4300), refundOf(4400))
    const { threadId } = (await server.store.getRequest(open!))!
    const reader = await inbox.seat(server, { sub: 'ada', roles: ['operator'] })
    await reader.page.goto(`${server.url}/#/thread/${encodeURIComponent(threadId)}`)
    await reader.page.locator('.steps').getByText('€43.00').waitFor()
    const seat = await inbox.seat(server)
    await seat.open('€43.00')
    await seat.page.getByText('ada@example.com').first().waitFor()

    await erase(server.store, { threadId, abort: true, by: 'dora', reason: 'asked for' })

    await reader.page.getByText('This thread was erased.').waitFor()
    expect(await reader.page.getByText('€43.00').count()).toBe(0)
    const gone = seat.page.locator('.row').filter({ hasText: 'No longer available' })
    await gone.waitFor()
    await seat.page.getByText('It does not exist, or you may not see it.').waitFor()
    expect(await seat.page.getByText('€43.00').count()).toBe(0)
    expect(await seat.approve.count()).toBe(0)
    await seat.open('€44.00')
  })
})
