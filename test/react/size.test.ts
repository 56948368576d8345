import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { expect, test, vi } from 'vitest'
import { ROOT } from '../../scripts/lib/root.js'

test('holdpoint/react is below 12 kB, and needs nothing but React', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  const built = (await build({
    configFile: false,
    logLevel: 'silent',
    root: ROOT,
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      rolldownOptions: {
        input: join(ROOT, 'src/react.ts'),
        preserveEntrySignatures: 'strict',
        external: [/^node:/, 'zod', 'react', 'react/jsx-runtime'],
      },
    },
  })) as Rolldown.RolldownOutput
  const chunks = built.output.filter((each) => each.type === 'chunk')
  expect(chunks).toHaveLength(1)
  const [chunk] = chunks
  expect(new Set([...chunk!.imports, ...chunk!.dynamicImports])).toEqual(new Set(['react', 'react/jsx-runtime']))
  const elsewhere = Object.keys(chunk!.modules).filter((id) => !/\/src\/(react|core\/display)\b/.test(id))
  expect(elsewhere).toEqual([])
  const bytes = gzipSync(chunk!.code).length
  expect(bytes).toBeGreaterThan(1000)
  expect(bytes).toBeLessThan(12 * 1024)
})
