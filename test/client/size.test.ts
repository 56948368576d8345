import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.js'

describe('the client in a browser', () => {
  it('is below 12 kB and needs nothing of Node, no schema library and no other file', async () => {
    const built = (await build({
      configFile: false,
      logLevel: 'silent',
      root: ROOT,
      build: {
        write: false,
        minify: true,
        modulePreload: false,
        rolldownOptions: {
          input: join(ROOT, 'src/client.ts'),
          preserveEntrySignatures: 'strict',
          // What is not in src/client would be bundled, or show as an import.
          external: [/^node:/, 'zod'],
        },
      },
    })) as Rolldown.RolldownOutput
    const chunks = built.output.filter((each) => each.type === 'chunk')
    expect(chunks).toHaveLength(1)
    const [chunk] = chunks
    expect(chunk!.exports).toEqual(
      expect.arrayContaining(['createClient', 'createInboxClient', 'ClientError', 'ApiError']),
    )
    expect([...chunk!.imports, ...chunk!.dynamicImports]).toEqual([])
    expect(Object.keys(chunk!.modules).filter((id) => !id.includes('/src/client'))).toEqual([])
    expect(chunk!.code).not.toMatch(/\bnode:|\bprocess\.|\bBuffer\b|\brequire\(/)
    const bytes = gzipSync(chunk!.code).length
    expect(bytes).toBeGreaterThan(1000)
    expect(bytes).toBeLessThan(12 * 1024)
  })
})
