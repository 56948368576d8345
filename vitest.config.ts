import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', '.build/**', 'bench/**', 'examples/**'],
    // Processes, not threads: tests kill children, change directories and load native add-ons.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // What a test prints is shown only if it fails.
    silent: 'passed-only',
    // No test sees what another one replaced.
    restoreMocks: true,
    unstubEnvs: true,
  },
})
