import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { findSystemPackage } from '../support/system-package.ts'

const ARGUMENTS = [
  ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
]

/** Starts a real browser. */
export async function startChromium(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  return chromium.launch({
    executablePath: findSystemPackage({ what: 'Chromium', name: 'chromium', find: lookForBinary }),
    args: [...ARGUMENTS, ...(isRoot ? ['--no-sandbox'] : [])],
  })
}

function lookForBinary(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/snap/bin']
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const mac = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome']
  const paths = [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...mac]
  return paths.find((path) => existsSync(path))
}
