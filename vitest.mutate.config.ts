import { defineConfig } from 'vitest/config'

/** The tests that mutants are run against: in one process, fast, and without dist/, which is not in Stryker's sandbox. */
export default defineConfig({
  test: {
    include: [
      'src/{core,desk}/**/*.test.ts',
      'src/runtime/activation.test.ts',
      'test/{core,desk}/**/*.test.ts',
      'test/scenarios/*.test.ts',
      'test/policy/{deadlines,grants,grant-options,hold,human-in-the-loop,middleware,preview,reviews,sweep}.test.ts',
      'test/agents/{handoffs,nested,pauses}.test.ts',
      'test/threads/{abort,body-waits,gates}.test.ts',
    ],
    pool: 'forks',
    testTimeout: 10_000,
    silent: true,
    restoreMocks: true,
    unstubEnvs: true,
  },
})
