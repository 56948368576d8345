import { describe, expect, it, vi } from 'vitest'
import { until } from '../support/until.ts'
import { refundOf, storedOf, wish } from './inbox/company.ts'
import { useInbox } from './inbox/scene.ts'

vi.setConfig({ testTimeout: 180_000, maxConcurrency: 4 })

const inbox = useInbox()
const OPEN = { status: 'open' }
const APPROVED = { status: 'decided', decision: 'approve', by: 'ann' }

describe.concurrent('a connection that is lost and comes back', () => {
  it('offline: what is loaded stays readable, a decision is kept visibly, and sent once when the person says so', async () => {
    const server = await inbox.serve()
    const ids = await wish(server.store, refundOf(4200, 'one@example.com'), refundOf(4300, 'two@example.com'))
    const seat = await inbox.seat(server)
    await seat.reads('one@example.com')
    await seat.context.setOffline(true)
    await seat.page.getByText('You are offline.').waitFor()
    await seat.approve.click()
    // The next one was read ahead.
    await seat.reads('two@example.com')
    await seat.page.getByText('1 decision is kept in this window and not sent.').waitFor()
    await seat.rows.filter({ hasText: 'decision kept, not sent' }).waitFor()
    expect(await storedOf(server.store, ids[0]!)).toEqual(OPEN)

    await seat.context.setOffline(false)
    const check = seat.page.getByRole('button', { name: 'Check 1 kept decision' })
    await check.waitFor()
    await seat.quiet()
    // Back online, still nothing is sent unseen.
    expect(await storedOf(server.store, ids[0]!)).toEqual(OPEN)
    await check.click()
    const dialog = seat.page.getByRole('dialog', { name: 'Decisions kept while you were offline' })
    await dialog.getByText('can be sent').waitFor()
    await dialog.getByRole('button', { name: 'Send 1 decision' }).click()
    await until(async () => (await storedOf(server.store, ids[0]!)).status === 'decided')
    expect(await storedOf(server.store, ids[0]!)).toEqual(APPROVED)
    expect(seat.writes.filter((write) => write.endsWith('/decide'))).toHaveLength(1)
    await dialog.waitFor({ state: 'detached' })
    expect(await seat.page.getByText(/kept in this window/).count()).toBe(0)
  })

  it('a server that is gone and back at the same address: the page goes on by itself, and hears what it missed', async () => {
    const server = await inbox.serve()
    await wish(server.store, refundOf(4200, 'one@example.com'))
    const seat = await inbox.seat(server)
    await seat.reads('one@example.com')
    await server.stop()
    await seat.page.getByText('You are offline.').waitFor()
    expect(await seat.headline.innerText()).toContain('€42.00')
    await wish(server.store, refundOf(4300, 'two@example.com'))
    await server.start()
    await seat.page.getByRole('button', { name: '1 new' }).waitFor()
    await seat.page.getByText('You are offline.').waitFor({ state: 'detached' })
    await seat.rested()
    await seat.approve.click()
    await seat.page.getByText('Approved: Refund €42.00').first().waitFor()
  })

  it('a kept decision is not sent after its deadline', async () => {
    const server = await inbox.serve()
    const seat = await inbox.seat(server)
    const [id] = await wish(server.store, refundOf(4200, 'one@example.com', { timeoutSeconds: 12 }))
    await seat.reads('one@example.com')
    await seat.context.setOffline(true)
    await seat.page.getByText('You are offline.').waitFor()
    await seat.approve.click()
    await seat.page.getByText('1 decision is kept in this window and not sent.').waitFor()
    await until(async () => (await storedOf(server.store, id!)).status === 'expired')
    await seat.context.setOffline(false)
    await seat.page.getByRole('button', { name: 'Check 1 kept decision' }).click()
    const dialog = seat.page.getByRole('dialog')
    await dialog.getByText('the deadline has passed').waitFor()
    await dialog.getByRole('button', { name: 'Send 0 decisions' }).click({ force: true })
    await seat.quiet()
    expect(seat.writes.filter((write) => write.endsWith('/decide'))).toEqual([])
    await dialog.getByRole('button', { name: 'Discard' }).click()
    await seat.page.getByRole('button', { name: /kept decision/ }).waitFor({ state: 'detached' })
    expect(await storedOf(server.store, id!)).toMatchObject({ status: 'expired' })
  })

  it('a kept decision about a request that somebody else decided is not sent', async () => {
    const server = await inbox.serve()
    const [id] = await wish(server.store, refundOf(4200, 'one@example.com'))
    const [seat, bob] = await Promise.all([inbox.seat(server), inbox.seat(server, { sub: 'bob' })])
    await Promise.all([seat.reads('one@example.com'), bob.reads('one@example.com')])
    await seat.context.setOffline(true)
    await seat.page.getByText('You are offline.').waitFor()
    await seat.approve.click()
    await seat.page.getByText('1 decision is kept in this window and not sent.').waitFor()
    await bob.approve.click()
    await until(async () => (await storedOf(server.store, id!)).by === 'bob')
    await seat.context.setOffline(false)
    await seat.page.getByRole('button', { name: 'Check 1 kept decision' }).click()
    const dialog = seat.page.getByRole('dialog')
    await dialog.getByText('somebody was faster').waitFor()
    expect(seat.writes.filter((write) => write.endsWith('/decide'))).toEqual([])
  })

  it('an answer that is lost on its way: the page says that it does not know, and a second try decides once', async () => {
    const server = await inbox.serve()
    const [id] = await wish(server.store, refundOf(4200, 'one@example.com'))
    const seat = await inbox.seat(server)
    await seat.reads('one@example.com')
    let lost = 0
    await seat.page.route('**/decide', async (route) => {
      if (lost++ > 0) return route.continue()
      await route.fetch()
      await route.abort('connectionreset')
    })
    await seat.approve.click()
    // The live event may be first to say that it was stored after all.
    const unknown = seat.page.getByText('It is not known whether your decision arrived.')
    const stored = seat.page.getByText('Decided by you: approved')
    await unknown.or(stored).first().waitFor()
    expect(await storedOf(server.store, id!)).toEqual(APPROVED)
    const again = seat.verdict.getByRole('button', { name: 'Try now' })
    if (await again.isVisible()) await again.click().catch(() => undefined)
    await seat.quiet()
    expect(await storedOf(server.store, id!)).toEqual(APPROVED)
    const { entries } = await server.store.read((await server.store.getRequest(id!))!.threadId)
    expect(entries.filter(({ body }) => JSON.parse(body).type === 'request.decided')).toHaveLength(1)
  })
})
