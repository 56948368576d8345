import { gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { bundled } from '../support/bundled.ts'

test('holdpoint/react is below 12 kB, and needs nothing but React', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  const chunk = await bundled('src/react.ts', ['react', 'react/jsx-runtime'])
  expect(new Set([...chunk.imports, ...chunk.dynamicImports])).toEqual(new Set(['react', 'react/jsx-runtime']))
  const elsewhere = Object.keys(chunk.modules).filter((id) => !/\/src\/(react|core\/display)\b/.test(id))
  expect(elsewhere).toEqual([])
  const bytes = gzipSync(chunk.code).length
  expect(bytes).toBeGreaterThan(1000)
  expect(bytes).toBeLessThan(12 * 1024)
})
