import { describe, expect, it, vi } from 'vitest'
import { tokenOf } from '../support/gateway/served-gateway.ts'
import { until } from '../support/until.ts'
import { refundOf, storedOf, wish } from './inbox/company.ts'
import { useInbox } from './inbox/scene.ts'

vi.setConfig({ maxConcurrency: 4 })

const inbox = useInbox()

describe.concurrent('signing in', () => {
  it('a link signs in once: its code leaves the address at once, and a second use is refused', async () => {
    const server = await inbox.serve()
    const link = await server.link({ sub: 'ann' })
    const { page, context, writes, requested, complaints } = await inbox.window(server.url)
    const answered = page.waitForResponse((response) => response.url().endsWith('/v1/session'))
    await page.goto(link)
    const response = await answered
    expect(response.status()).toBe(200)
    expect(await response.request().headerValue('origin')).toBe(server.url)
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    expect(await page.getByRole('link', { name: /Signed in as ann/ }).count()).toBe(1)
    expect(writes).toEqual(['POST /v1/session'])
    const code = new URL(link).hash.slice('#code='.length)
    expect(page.url()).not.toContain(code)
    expect(requested.filter((url) => url.includes(code))).toEqual([])
    expect(requested.filter((url) => new URL(url).origin !== server.url)).toEqual([])
    expect(complaints).toEqual([])
    const name = `holdpoint_${new URL(server.url).port}`
    expect(await context.cookies()).toMatchObject([{ name, httpOnly: true, sameSite: 'Strict', path: '/' }])
    expect(await page.evaluate(() => document.cookie)).toBe('')
    await page.goBack().catch(() => undefined)
    expect(page.url()).not.toContain(code)

    const other = await inbox.window(server.url)
    await other.page.goto(link)
    await other.page.getByRole('alert').filter({ hasText: 'This link was used or has expired.' }).waitFor()
    expect(other.page.url()).not.toContain(code)
    expect(other.writes).toEqual(['POST /v1/session'])
    expect((await other.context.cookies()).length).toBe(0)
  })

  it('a token signs in, is not kept, and a wrong one is refused', async () => {
    const server = await inbox.serve()
    const { page, context } = await inbox.window(server.url)
    await page.goto(server.url)
    const token = page.getByLabel('Access token')
    await token.fill('not a token')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'This token is not accepted.' }).waitFor()
    const good = await tokenOf('bea', { roles: ['reviewer'] })
    await token.fill(good)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie)
    expect(kept).not.toContain(good.slice(-20))
    expect(await context.cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }])
  })

  it('a link that is opened in a window at the sign-in page signs in there', async () => {
    const server = await inbox.serve()
    const { page } = await inbox.window(server.url)
    await page.goto(server.url)
    await page.getByLabel('Access token').waitFor()
    await page.goto(await server.link())
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
  })

  it('signing out ends the session on the server and leaves nothing on the page', async () => {
    const server = await inbox.serve()
    await wish(server.store, refundOf(4200, 'secret-person@example.com'))
    const { page, context, headline } = await inbox.seat(server)
    await headline.filter({ hasText: 'secret-person' }).waitFor()
    const [cookie] = await context.cookies()
    await page.getByRole('link', { name: /Signed in as ann/ }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Access token').waitFor()
    expect(await page.locator('body').innerText()).not.toContain('secret-person')
    expect(await page.getByText('You were signed out').count()).toBe(0)
    const again = await fetch(`${server.url}/v1/me`, { headers: { cookie: `${cookie?.name}=${cookie?.value}` } })
    expect(again.status).toBe(401)
    await page.goto(`${server.url}/#/inbox`)
    await page.getByLabel('Access token').waitFor()
  })

  it('a session that is ended elsewhere is signed out at its next action, and decides nothing', async () => {
    // The live stream looks at the session at each heartbeat: without one, only the action itself can tell.
    const server = await inbox.serve({ heartbeatSeconds: 3600 })
    const [id] = await wish(server.store, refundOf(4200))
    const seat = await inbox.seat(server)
    await seat.reads('€42.00')
    const { records } = await server.store.findRecords({ kind: 'session', limit: 10 })
    const changes = records.map((record) => ({ op: 'delete' as const, kind: 'session', id: record.id }))
    await server.store.writeRecords(changes)
    await seat.approve.click()
    await seat.page.getByLabel('Access token').waitFor()
    await seat.page.getByText('You were signed out. What had not been sent was not decided.').waitFor()
    expect(await storedOf(server.store, id!)).toEqual({ status: 'open' })
  })

  it('a session that is ended elsewhere leaves an idle page, too', async () => {
    const server = await inbox.serve({ heartbeatSeconds: 1 })
    await wish(server.store, refundOf(4200))
    const seat = await inbox.seat(server)
    await seat.reads('€42.00')
    const { records } = await server.store.findRecords({ kind: 'session', limit: 10 })
    await server.store.writeRecords(records.map(({ id }) => ({ op: 'delete' as const, kind: 'session', id })))
    await until(async () => (await seat.page.getByLabel('Access token').count()) === 1)
  })

  it('the address changes only when a person goes somewhere: the first request opens without it', async () => {
    const server = await inbox.serve()
    await wish(server.store, refundOf(4200, 'one@example.com'), refundOf(4300, 'two@example.com'))
    const seat = await inbox.seat(server)
    const hash = () => new URL(seat.page.url()).hash
    await seat.reads('one@example.com')
    expect(hash()).toBe('#/inbox')
    // What is being read stays, whatever comes before it.
    await wish(server.store, refundOf(4400, 'urgent@example.com', { timeoutSeconds: 60 }))
    await seat.page.getByRole('button', { name: '1 new' }).click()
    await seat.rows.filter({ hasText: 'urgent@example.com' }).waitFor()
    await seat.headline.filter({ hasText: 'one@example.com' }).waitFor()
    await seat.approve.click()
    await seat.reads('two@example.com')
    expect(hash()).toMatch(/^#\/inbox\/./)
    // A decision that is stored after its person went elsewhere does not bring them back.
    const elsewhere = seat.page.getByRole('heading', { name: 'Grants', level: 1 })
    await seat.page.route('**/decide', async (route) => {
      const response = await route.fetch()
      await elsewhere.waitFor()
      await route.fulfill({ response })
    })
    await seat.approve.click()
    await seat.page.getByRole('link', { name: 'Grants' }).click()
    await seat.page.getByText('Approved: Refund €43.00 to two@example.com').first().waitFor()
    expect(hash()).toBe('#/grants')
  })

  it('a page that cannot learn who is signed in says so, and tries again', async () => {
    const server = await inbox.serve()
    await wish(server.store, refundOf(4200))
    const seat = await inbox.window(server.url)
    let refused = true
    await seat.page.route('**/v1/me', (route) =>
      refused ? route.fulfill({ status: 400, json: { code: 'input_invalid', detail: 'no' } }) : route.continue(),
    )
    // A live connection would try again by itself.
    await seat.page.route('**/v1/events', (route) => route.fulfill({ status: 503 }))
    await seat.page.goto(await server.link())
    const failed = seat.page.getByRole('alert').filter({ hasText: 'This view did not load.' })
    await failed.waitFor()
    refused = false
    await failed.getByRole('button').click()
    await seat.reads('€42.00')
  })
})
