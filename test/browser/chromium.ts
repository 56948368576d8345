import { type Browser, chromium } from 'playwright-core'
import { PROGRAMS, requireProgram } from '../../scripts/lib/programs.js'

const ARGUMENTS = [
  ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
]

/** Starts a real browser. */
export async function startChromium(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  return chromium.launch({
    executablePath: requireProgram(PROGRAMS.chromium),
    args: [...ARGUMENTS, ...(isRoot ? ['--no-sandbox'] : [])],
  })
}

let shared: Promise<Browser> | undefined

/** The browser that test files in this process share, each with windows of its own that it closes. It ends with the process. */
export async function sharedChromium(): Promise<Browser> {
  shared ??= startChromium()
  const browser = await shared
  if (!browser.isConnected()) shared = startChromium()
  return shared
}
