import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * What takes longest begins first, so that no core waits for the other at the end. Tests that have a process to themselves come before all that
 * share one: a process is shared only by files that follow one another.
 */
const LONG = [
  '/test/chaos/chaos',
  '/test/browser/',
  '/test/crash/',
  '/test/house/decision-kinds',
  '/test/types/',
  '/test/cli/',
  '/test/races/',
  '/test/store/',
  '/test/examples/',
  '/test/simulation/',
  '/test/streams/',
  '/test/queue/',
  '/test/worker/',
]

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files)
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const found = LONG.findIndex((folder) => moduleId.includes(folder))
      return (found === -1 ? LONG.length : found) + (project.name === 'alone' ? 0 : 100)
    }
    return others.sort((a, b) => rank(a) - rank(b))
  }
}

const ROOMS = [
  'adapter,agents,browser,channels,chaos,cli,client,compat,core,crash,decisions,desk,erasure,gate,gateway,hil,house,inbox,mcp,mcp-proxy,operate,policy',
  'queue,races,remote,run-state,runs,schema,security,sessions,store,streaming,streams,threads,tools,types,wake,webhooks,worker',
].join(',')

/**
 * Tests that share a process: nothing in `src` has ambient state, and loading it again for each file takes longer than most of these tests.
 * Tests that measure memory, and those that change what a whole process sees, have one to themselves.
 */
const SHARED = ['src/**/*.test.ts', `test/{${ROOMS}}/**/!(*-memory).test.ts`]
/** The OpenAI Agents SDK exports traces in a loop from when it is loaded, which fake timers of other files would run for ever. */
const APART = ['test/adapter/openai-agents/*.test.ts', 'test/gate/adapters/openai*.test.ts']
/** What `npm run test:drivers` runs: it installs drivers that are compiled for minutes. */
export const DRIVERS = 'test/store/sqlite/better-sqlite3.test.ts'
const NEVER = ['**/node_modules/**', 'dist/**', '.build/**', 'bench/**', 'examples/**', DRIVERS]

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: [...NEVER, ...SHARED] } },
      { extends: true, test: { name: 'apart', include: APART, exclude: NEVER } },
      { extends: true, test: { name: 'shared', include: SHARED, exclude: [...NEVER, ...APART], isolate: false } },
    ],
    // Processes, not threads: tests kill children, change directories and load native add-ons.
    pool: 'forks',
    // Two more than the cores of a small machine: most tests wait for processes, browsers and servers part of the time.
    maxWorkers: 4,
    // Concurrent tests of a file are those that mostly wait.
    maxConcurrency: 20,
    sequence: { sequencer: LongFirst },
    // Against hangs alone: a test of the command line starts a dozen processes. What must be quick is measured by its own test.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // Against hangs too: polling ends as soon as it succeeds.
    expect: { poll: { timeout: 60_000 } },
    // What a test prints is shown only if it fails.
    silent: 'passed-only',
    // No test sees what another one replaced.
    restoreMocks: true,
    unstubEnvs: true,
  },
})
