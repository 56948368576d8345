import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest begins first, so that no core waits for the other at the end. */
const LONG = ['/test/crash/', '/test/cli/', '/test/races/', '/test/store/', '/test/examples/', '/test/streams/']

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONG.findIndex((folder) => moduleId.includes(folder))
      return found === -1 ? LONG.length : found
    }
    return others.sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', '.build/**', 'bench/**', 'examples/**'],
    // Processes, not threads: tests kill children, change directories and load native add-ons.
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    // Against hangs alone: a test of the command line starts a dozen processes. What must be quick is measured by its own test.
    testTimeout: 40_000,
    hookTimeout: 30_000,
    // What a test prints is shown only if it fails.
    silent: 'passed-only',
    // No test sees what another one replaced.
    restoreMocks: true,
    unstubEnvs: true,
  },
})
