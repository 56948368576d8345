import { type Browser, chromium } from 'playwright-core'
import { PROGRAMS, requireProgram } from '../../scripts/lib/programs.js'

/** What Playwright turns off. The switch below replaces its own. */
const BY_PLAYWRIGHT = [
  ...['AimEnabled', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
  ...[
    'DestroyProfileOnBrowserClose',
    'HttpsFirstBalancedModeAutoEnable',
    'HttpsUpgrades',
    'LensOverlay',
    'MediaRouter',
  ],
  ...['NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch'],
  ...['TcpPortRandomizationWin', 'ThirdPartyStoragePartitioning'],
]

/** Pages of the browser's own, and renderers in reserve: processes for each window that take more processor time than the page under test. */
const OWN_PAGES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'PreloadTopChromeWebUI',
  'SpareRendererForSitePerProcess',
]

const ARGUMENTS = [
  ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
  `--disable-features=${[...BY_PLAYWRIGHT, ...OWN_PAGES].join(',')}`,
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
