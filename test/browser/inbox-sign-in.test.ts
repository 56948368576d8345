import { describe, expect, onTestFinished, test } from 'vitest'
import { createCode, signInLink } from '../../src/gateway/sign-in/codes.ts'
import { memoryStore } from '../../src/index.ts'
import { served } from '../support/gateway/served-gateway.ts'
import { startChromium } from './chromium.ts'

describe('the inbox in a real browser', () => {
  test('a link signs in once, leaves no code in the address, and the page asks nobody else for anything', async () => {
    const store = memoryStore()
    onTestFinished(() => store.close())
    const { url } = await served({ store, inbox: true })
    const browser = await startChromium()
    onTestFinished(() => browser.close())
    const context = await browser.newContext()
    const page = await context.newPage()
    const problems: string[] = []
    const foreign: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on(
      'request',
      (request) =>
        new URL(request.url()).origin !== url && request.url().startsWith('http') && foreign.push(request.url()),
    )
    const code = await createCode(store, { sub: 'ann', tenant: 'default', roles: ['reviewer'] })

    const signedIn = page.waitForResponse((response) => response.url().endsWith('/v1/session'), { timeout: 20_000 })
    await page.goto(signInLink(url, code))
    const response = await signedIn
    expect(response.status()).toBe(200)
    expect(await response.request().headerValue('origin')).toBe(url)
    await page.waitForResponse((each) => each.url().includes('/v1/requests') && each.status() === 200, {
      timeout: 20_000,
    })
    expect(page.url()).not.toContain('code')

    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({
      name: `holdpoint_${new URL(url).port}`,
      httpOnly: true,
      sameSite: 'Strict',
      path: '/',
    })
    expect(await page.evaluate('document.cookie')).toBe('')
    expect(foreign).toEqual([])
    expect(problems.filter((each) => /Content.Security.Policy|Refused/i.test(each))).toEqual([])

    const again = await (await browser.newContext()).newPage()
    const refused = again.waitForResponse((each) => each.url().endsWith('/v1/session'), { timeout: 20_000 })
    await again.goto(signInLink(url, code))
    expect((await refused).status()).toBe(401)
  }, 90_000)
})
