import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ROOT } from '../../scripts/lib/root.js'
import { TSC } from '../../scripts/lib/tsc.js'
import { startChromium } from './chromium.ts'

vi.setConfig({ hookTimeout: 300_000 })

/** Inside of the package, so that `import 'holdpoint'` means dist/, as package.json says. */
const compiled = join(ROOT, '.build', `browser-${process.pid}`)
let browser: Browser

beforeAll(async () => {
  // Its types are checked with those of all examples, by examples.test.ts.
  const args = [...TSC, '-p', 'tsconfig.examples.json', '--noCheck', '--outDir', compiled]
  execFileSync(process.execPath, args, { cwd: ROOT })
  browser = await startChromium()
})
afterAll(async () => {
  await browser?.close()
  rmSync(compiled, { recursive: true, force: true })
})

interface Program {
  lines: string[]
  child: ChildProcess
  ended: Promise<number | null>
}

/** The example in a process of its own, waiting for a person. */
function start(): Program {
  const child = spawn(process.execPath, [join(compiled, 'remote-approval/main.js'), '--wait'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line))
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve)
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { lines, child, ended }
}

async function said({ lines }: Program, start: string): Promise<string> {
  await vi.waitUntil(() => lines.some((line) => line.startsWith(start)), { timeout: 60_000, interval: 20 })
  return lines.find((line) => line.startsWith(start))!
}

async function openPage(
  program: Program,
  prepare: (page: Page) => Promise<unknown> = async () => undefined,
): Promise<{ page: Page; problems: string[]; paths: string[] }> {
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  await prepare(page)
  const problems: string[] = []
  const paths: string[] = []
  page.on('request', (request) => paths.push(new URL(request.url()).pathname))
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  await page.goto((await said(program, 'open ')).replace('open ', ''))
  return { page, problems, paths }
}

describe('a person in a browser', () => {
  it('sees what will run, approves it, and the thread goes on in the other process', async () => {
    const program = start()
    const { page, problems, paths } = await openPage(program)
    const card = page.locator('article')
    await card.getByRole('heading', { name: 'refund' }).waitFor()
    await expect(card.textContent()).resolves.toContain('Pay 1999.00 back for order 42, now.')
    expect(await card.getByLabel('Arguments').inputValue()).toContain('"cents": 199900')
    expect(await page.getByRole('status').textContent()).toBe('open')
    expect(program.lines.filter((line) => line.startsWith('refunding'))).toEqual([])

    await card.getByRole('button', { name: 'Approve' }).click()
    expect(await said(program, 'refunding')).toBe('refunding 199900 cents for order 42')

    await card.getByRole('heading', { name: 'send_mail' }).waitFor()
    await card.getByLabel('Reason').fill('I call him.')
    await card.getByRole('button', { name: 'Reject' }).click()
    expect(await said(program, 'completed')).toBe('completed: The last result was: I call him.')
    expect(await program.ended).toBe(0)
    await page.getByText('gone', { exact: true }).waitFor()
    expect(await page.locator('li').allTextContents()).toEqual(
      expect.arrayContaining(['refund: taken', 'send_mail: taken', 'The last result was: I call him.']),
    )
    expect(paths).toContain('/hil/events')
    expect(paths).not.toContain('/hil/poll')
    // Its address is gone with the program, which is no mistake of the page.
    expect(problems.filter((problem) => !problem.includes('favicon') && !problem.includes('404'))).toEqual([])
  })

  it('changes what will run; what cannot run is refused and stays open', async () => {
    const program = start()
    const { page } = await openPage(program)
    const card = page.locator('article')
    await card.getByRole('heading', { name: 'refund' }).waitFor()
    await card.getByLabel('Arguments').fill('{ "orderId": "42", "cents": "lots" }')
    await card.getByRole('button', { name: 'Approve with changes' }).click()
    await card.locator('.problem', { hasText: 'cents' }).waitFor()
    expect(program.lines.filter((line) => line.startsWith('refunding'))).toEqual([])
    await card.getByLabel('Arguments').fill('{ "orderId": "42", "cents": 1999 }')
    await card.getByRole('button', { name: 'Approve with changes' }).click()
    expect(await said(program, 'refunding')).toBe('refunding 1999 cents for order 42')
  })

  it('is asked all the same where only plain requests get through', async () => {
    const program = start()
    const { page, paths } = await openPage(program, (opened) =>
      opened.route('**/hil/events*', (route) => route.fulfill({ status: 501 })),
    )
    await page.locator('article').getByRole('button', { name: 'Approve' }).click()
    await said(program, 'refunding')
    await page.getByRole('heading', { name: 'send_mail' }).waitFor()
    expect(paths).toContain('/hil/poll')
  })

  it('of two tabs, the second learns that the question is over', async () => {
    const program = start()
    const [one, two] = await Promise.all([openPage(program), openPage(program)])
    const refund = (page: Page) => page.getByRole('heading', { name: 'refund' })
    await Promise.all([refund(one.page).waitFor(), refund(two.page).waitFor()])
    await one.page.getByRole('button', { name: 'Reject' }).click()
    await refund(two.page).waitFor({ state: 'detached' })
    await two.page.getByRole('heading', { name: 'send_mail' }).waitFor()
  })
})
