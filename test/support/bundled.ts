import { join } from 'node:path'
import { build, type Rolldown } from 'vite'
import { expect } from 'vitest'
import { ROOT } from '../../scripts/lib/root.js'

/** A file and all that it imports as one minified script, as a page would load it. What is `external` shows as an import. */
export async function bundled(file: string, external: (string | RegExp)[] = []): Promise<Rolldown.OutputChunk> {
  const built = (await build({
    configFile: false,
    logLevel: 'silent',
    root: ROOT,
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      rolldownOptions: {
        input: join(ROOT, file),
        preserveEntrySignatures: 'strict',
        external: [/^node:/, 'zod', ...external],
      },
    },
  })) as Rolldown.RolldownOutput
  const chunks = built.output.filter((each) => each.type === 'chunk')
  expect(chunks).toHaveLength(1)
  return chunks[0]!
}
