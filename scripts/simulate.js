import { join } from 'node:path'
import { ensureInstalled } from './lib/ensure.js'
import { ROOT } from './lib/root.js'
import { foreground, main } from './lib/run.js'

await main(async () => {
  await ensureInstalled()
  const { build } = await import('vite')
  const outDir = join(ROOT, '.build', 'simulation')
  // One script, so that it runs at the speed of a program and not of a test.
  await build({
    configFile: false,
    logLevel: 'warn',
    root: ROOT,
    build: { ssr: join(ROOT, 'test', 'simulation', 'main.ts'), outDir, emptyOutDir: true, target: 'node20' },
  })
  return foreground(process.execPath, [join(outDir, 'main.js'), ...process.argv.slice(2)])
})
