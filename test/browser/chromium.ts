import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const ARGUMENTS = [
  ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
]

/** Starts a real browser. It is installed where that is possible; else what to install is said. */
export async function startChromium(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  return chromium.launch({
    executablePath: findBinary(isRoot),
    args: [...ARGUMENTS, ...(isRoot ? ['--no-sandbox'] : [])],
  })
}

function findBinary(isRoot: boolean): string {
  const found = lookForBinary()
  if (found !== undefined) return found
  const problem = 'These tests need Chromium: install it, for example with apt-get install chromium.'
  if (!isRoot) throw new Error(problem)
  try {
    execFileSync('sh', ['-c', 'apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y chromium'], {
      stdio: 'pipe',
    })
  } catch (error) {
    throw new Error(problem, { cause: error })
  }
  const installed = lookForBinary()
  if (installed === undefined) throw new Error(problem)
  return installed
}

function lookForBinary(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/snap/bin']
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const mac = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome']
  const paths = [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...mac]
  return paths.find((path) => existsSync(path))
}
