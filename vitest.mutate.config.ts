import { defineConfig } from 'vitest/config'

/**
 * The tests that mutants are run against: in one process, fast, and without dist/, which is not in Stryker's sandbox. What is pure gets pure tests
 * alone: there a mutant that never ends costs a moment, and in a loop that drives a run it costs the whole time limit.
 */
const TESTS: Record<string, string[]> = {
  core: [
    'src/core/**/*.test.ts',
    'test/core/{fold,fold-releases,fold-requests,interleavings,next,plan,plan-answer,plan-calls}.test.ts',
  ],
  desk: [
    'src/desk/**/*.test.ts',
    'test/desk/*.test.ts',
    'test/decisions/{decisions,bound-answers}.test.ts',
    'test/agents/reject-outer.test.ts',
  ],
  runtime: ['src/runtime/journal/*.test.ts'],
}

export default defineConfig({
  test: {
    include: TESTS[process.env.HOLDPOINT_MUTATE ?? ''] ?? Object.values(TESTS).flat(),
    pool: 'forks',
    testTimeout: 10_000,
    silent: true,
    env: { HOLDPOINT_SOAK: 'least' },
  },
})
