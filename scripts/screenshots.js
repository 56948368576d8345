import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import { ensureBuilt, ensureInstalled } from './lib/ensure.js'
import { PROGRAMS, requireProgram } from './lib/programs.js'
import { ROOT } from './lib/root.js'
import { main } from './lib/run.js'

/**
 * The pictures of docs/images, from the demo's fixed set of requests. `open`: words of the queue's line to open first.
 * @type {{ name: string, theme?: string, language?: string, width?: number, hash?: string, open?: string, act?: (page: import('playwright-core').Page) => Promise<void> }[]}
 */
const SHOTS = [
  { name: 'inbox' },
  { name: 'inbox-dark', theme: 'dark' },
  { name: 'inbox-zh', language: 'zh' },
  { name: 'phone', width: 390 },
  { name: 'high-risk', open: '1,284' },
  { name: 'hidden-characters', open: 'Share' },
  { name: 'edit', act: edit },
  { name: 'bulk', act: pickTwo },
  { name: 'decisions', hash: '#/decisions' },
  { name: 'figures', hash: '#/figures' },
]

await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-shots-'))
  const env = { ...process.env, HOLDPOINT_DATA: folder, HOLDPOINT_DEMO: 'fixed', HOLDPOINT_USER: 'Ann Keller' }
  const args = [join(ROOT, 'dist/cli/main.js'), 'start', '--port', '0']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('close', resolve))
  try {
    const link = await new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve))
    await shoot(String(link))
    shrink()
    return 0
  } finally {
    child.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
})

/** A palette of 256 colours is enough, and takes a third of the bytes. */
function shrink() {
  const files = SHOTS.map(({ name }) => join(ROOT, 'docs/images', `${name}.png`))
  const done = spawnSync('pngquant', ['--force', '--ext', '.png', '--strip', ...files], { stdio: 'inherit' })
  if (done.error)
    console.warn('Install pngquant to make the pictures smaller: they are as large as the browser makes them.')
}

/** @param {string} link */
async function shoot(link) {
  const images = join(ROOT, 'docs/images')
  mkdirSync(images, { recursive: true })
  const browser = await chromium.launch({ executablePath: requireProgram(PROGRAMS.chromium), args: ['--no-sandbox'] })
  try {
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(link)
    // The last of the dozen is asked again when its facts changed. Rows that come after the page was loaded wait behind a button, but are counted; each
    // picture loads the page again.
    await page.locator('header .count', { hasText: /^1[0-2]\D/ }).waitFor()
    await page.waitForTimeout(3_000)
    const url = new URL(link).origin
    for (const { name, theme = 'light', language = 'en', width = 1440, hash = '#/inbox', open, act } of SHOTS) {
      await page.setViewportSize({ width, height: width < 760 ? 844 : 900 })
      const chosen = JSON.stringify({ theme, language })
      await page.evaluate(`localStorage.setItem('holdpoint.preferences', ${JSON.stringify(chosen)})`)
      await page.goto(`${url}/${hash}`)
      await page.reload()
      await page.locator('h1').first().waitFor()
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
      if (width < 760) await page.locator('.row-link').first().click()
      if (open) await page.locator('.row-link').filter({ hasText: open }).first().click()
      await page.waitForTimeout(800)
      await act?.(page)
      await page.screenshot({ path: join(images, `${name}.png`), animations: 'disabled' })
    }
  } finally {
    await browser.close()
  }
}

/** @param {import('playwright-core').Page} page */
async function edit(page) {
  await page.keyboard.press('e')
  await page.locator('form.edit input').first().fill('12.00')
  await page.waitForTimeout(1_200)
}

/** @param {import('playwright-core').Page} page */
async function pickTwo(page) {
  const refunds = page.locator('.row').filter({ hasText: 'Refund' }).getByRole('checkbox')
  for (const at of [0, 1]) await refunds.nth(at).check({ force: true })
  await page.getByRole('button', { name: /^Check and approve/ }).click()
  await page.getByRole('dialog').waitFor()
  await page.waitForTimeout(600)
}
