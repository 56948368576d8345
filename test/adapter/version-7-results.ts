import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { fetchedNode } from '../../scripts/lib/nodes.js'

/** Runs the `version-7.ts` beside a test: the AI SDK 7 needs Node 22, which also runs TypeScript as it is. Resolves to what came of each case. */
export async function version7Results(test: string): Promise<Record<string, string>> {
  const program = fileURLToPath(new URL('version-7.ts', test))
  const { stdout } = await promisify(execFile)(fetchedNode('22'), [program], { timeout: 240_000 })
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, string>
}
