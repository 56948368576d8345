import { join } from 'node:path'
import { build } from 'vite'
import { ENTRIES } from '../layout.js'
import { ROOT } from './root.js'
import { sharedFiles } from './shared-files.js'
import { spreadFirst } from './spread-first.js'

/** Entry points that the package does not export: the command, a thread, and what this repository's own tests and benches load. */
const OTHERS = ['cli/main', 'cli/commands/index', 'internals/index', 'store/sqlite/writing/writer-thread']

/**
 * Bundles src/ into one file for each entry point and a few that they share: loading two hundred small files takes most of the start-up time.
 * Names stay as they are, so that stack traces can be read.
 * @param {string} outDir
 */
export async function bundle(outDir) {
  const input = Object.fromEntries(
    [...Object.keys(ENTRIES), ...OTHERS].map((name) => [name, join(ROOT, 'src', `${name}.ts`)]),
  )
  const before = process.env.NODE_ENV
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    publicDir: false,
    ssr: { target: 'node' },
    plugins: [spreadFirst()],
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        input,
        external: (id) => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith('\0'),
        output: {
          format: 'esm',
          entryFileNames: '[name].js',
          chunkFileNames: 'shared/[name]-[hash].js',
          // Documentation is in the declarations.
          comments: { legal: true, annotation: true, jsdoc: false },
          codeSplitting: { groups: [{ name: sharedFiles(), debugName: 'shared' }] },
        },
      },
    },
  })
  // Vite sets it to "production" for this whole process, and the tests that follow a build would inherit it.
  if (before === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = before
}
