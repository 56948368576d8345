import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ROOT } from '../../scripts/lib/root.js'
import { TSC } from '../../scripts/lib/tsc.js'
import { startChromium } from './chromium.ts'

vi.setConfig({ hookTimeout: 300_000 })

/** Inside of the package, so that `import 'holdpoint'` means dist/, as package.json says. */
const compiled = join(ROOT, '.build', `browser-chat-${process.pid}`)
const main = join(compiled, 'ai-sdk-chat/main.js')
/** The page, bundled once for all servers. */
const bundle = join(compiled, 'bundle.js')
let browser: Browser

beforeAll(async () => {
  // Its types are checked with those of all examples, by examples.test.ts.
  execFileSync(process.execPath, [...TSC, '-p', 'tsconfig.examples.json', '--noCheck', '--outDir', compiled], {
    cwd: ROOT,
  })
  execFileSync(process.execPath, [main, '--build', bundle], { cwd: compiled })
  browser = await startChromium()
})
afterAll(async () => {
  await browser?.close()
  rmSync(compiled, { recursive: true, force: true })
})

interface Server {
  url: string
  lines: string[]
  kill(): Promise<void>
}

/** The example, serving its page from a folder. */
async function serve(folder: string, port = 0): Promise<Server> {
  const child: ChildProcess = spawn(process.execPath, [main, '--serve', String(port), bundle], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line))
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
  })
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill)
  await vi.waitUntil(() => lines.some((line) => line.startsWith('http://')), { timeout: 60_000, interval: 20 })
  return { url: lines.find((line) => line.startsWith('http://'))!, lines, kill }
}

async function asked(): Promise<{ folder: string; server: Server; page: Page }> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-chat-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const server = await serve(folder)
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  await page.goto(server.url)
  await page.getByLabel('Message').fill('Please refund order 42.')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  expect(payments(server)).toEqual([])
  return { folder, server, page }
}

describe('a useChat page in a browser', () => {
  it('answers an approval after the server was killed and started again, and the tool runs once', async () => {
    const { folder, server, page } = await asked()
    await server.kill()
    const again = await serve(folder, Number(new URL(server.url).port))
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('article', { name: 'refund: done' }).waitFor()
    await page.getByText('Done: 199900 cents paid back').waitFor()
    await vi.waitUntil(() => payments(again).length > 0, { timeout: 60_000, interval: 20 })
    expect(payments(again)).toEqual(['paying 199900 cents for order 42'])
    expect(await page.locator('section').count()).toBe(2)
    await page.reload()
    await page.getByRole('article', { name: 'refund: done' }).waitFor()
    await page.getByText('Please refund order 42.').waitFor()
    expect(await page.locator('section').count()).toBe(2)
  })

  it('shows the question after a reload that follows a kill, and takes an edit', async () => {
    const { folder, server, page } = await asked()
    await server.kill()
    const again = await serve(folder, Number(new URL(server.url).port))
    await page.reload()
    await page.getByText('I look into it.').waitFor()
    expect(await page.locator('section').count()).toBe(2)
    expect(await page.getByText('Please refund order 42.').count()).toBe(1)
    await page.getByLabel('cents').fill('1999')
    await page.getByRole('button', { name: 'Approve with changes' }).click()
    await page.getByRole('article', { name: 'refund: done' }).waitFor()
    await page.getByText(/^Done: .*1999 cents paid back/s).waitFor()
    await vi.waitUntil(() => payments(again).length > 0, { timeout: 60_000, interval: 20 })
    expect(payments(again)).toEqual(['paying 1999 cents for order 42'])
  })
})

/** What a server has paid, by its own words. */
function payments({ lines }: Server): string[] {
  return lines.filter((line) => line.startsWith('paying'))
}
