import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bundled } from '../support/bundled.ts'

/** What a page loads, and how much of it there may be. A page that uses one of the two clients gets no more than that one. */
const BUDGETS: [file: string, kilobytes: number, exports: string[]][] = [
  ['src/client.ts', 12, ['createClient', 'createInboxClient', 'ClientError', 'ApiError']],
  ['src/client/create-client.ts', 7, ['createClient']],
  ['src/client/v1/create-inbox-client.ts', 6, ['createInboxClient']],
]

describe('the client in a browser', () => {
  it.each(BUDGETS)(
    '%s is below %i kB and needs nothing of Node, no schema library and no other file',
    async (file, kilobytes, exports) => {
      const chunk = await bundled(file)
      expect(chunk.exports).toEqual(expect.arrayContaining(exports))
      expect([...chunk.imports, ...chunk.dynamicImports]).toEqual([])
      expect(Object.keys(chunk.modules).filter((id) => !id.includes('/src/client'))).toEqual([])
      expect(chunk.code).not.toMatch(/\bnode:|\bprocess\.|\bBuffer\b|\brequire\(/)
      const bytes = gzipSync(chunk.code).length
      expect(bytes).toBeGreaterThan(1000)
      expect(bytes).toBeLessThan(kilobytes * 1024)
    },
  )
})
