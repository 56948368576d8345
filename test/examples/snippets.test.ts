import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listFiles } from '../../scripts/lib/files.js'
import { ROOT } from '../../scripts/lib/root.js'
import { soak } from '../support/soak.ts'
import { type Built, buildSnippets } from './build-snippets.ts'
import { runSnippets } from './run-snippets.ts'
import { startServices } from './services.ts'
import { installedBy, packagesOf, type Snippet, snippetsOf } from './snippets.ts'

const pages = listFiles(ROOT).filter((path) => /^(README[^/]*|CONTRIBUTING|docs\/.*|examples\/.*)\.md$/.test(path))
const byPage = new Map(pages.map((page) => [page, snippetsOf(page)] as const).filter(([, found]) => found.length > 0))
const snippets = [...byPage.values()].flat()

/** What Node 22 says of its own SQLite. */
const NODES_OWN = /^\(node:\d+\) ExperimentalWarning: SQLite .*\n\(Use `node --trace-warnings .*\n/gm

/** Whether others on the page run a module that prints nothing by itself. */
const isImported = (one: Snippet, all: readonly Snippet[]): boolean =>
  one.prints.length === 0 && all.some(({ code }) => code.includes(`from './${one.file}'`))

describe('the snippets', () => {
  let built: Built
  beforeAll(() => {
    built = buildSnippets(snippets)
  })
  afterAll(() => built.remove())

  it('compile as they stand: nothing is added to what a reader copies', () => {
    expect(snippets.length).toBeGreaterThan(80)
    expect(built.output).toBe('')
  })

  it('have one file for each name on a page', () => {
    const names = snippets.map(({ page, file }) => `${page} ${file}`)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it.each([...byPage])('need only what their page says to install: %s', (page, found) => {
    const installed = installedBy(page)
    expect(packagesOf(found).filter((name) => !installed.includes(name))).toEqual([])
  })

  it('share one agent.ts, so that a reader copies it once for all guides', () => {
    const agents = snippets.filter(({ file }) => file === 'agent.ts')
    expect(agents.length).toBeGreaterThan(8)
    expect(new Set(agents.map(({ code }) => code)).size).toBe(1)
  })

  // The servers of this page are run by mounting.test.ts, with people who use them.
  const run = [...byPage].filter(([page]) => page !== 'docs/guides/mounting.md')
  // In the short form every second page: starting Node takes most of the time.
  it.each(soak.sample(run, { part: 0, of: 2 }))(
    'run as they stand: %s',
    async (page, all) => {
      const found = all.filter((snippet) => !isImported(snippet, all))
      const services = await startServices(all)
      try {
        const outcomes = await runSnippets(found, { folder: built.folderOf(page), env: services.env })
        const failed = outcomes.filter(
          ({ code, stderr }) => (code !== 0 && code !== 'served') || stderr.replace(NODES_OWN, '') !== '',
        )
        expect(failed).toEqual([])
        const unprinted = found.map(({ prints }, index) =>
          prints.filter((line) => !outcomes[index]?.stdout.includes(line)),
        )
        expect(unprinted.flat()).toEqual([])
      } finally {
        await services.stop()
      }
    },
    300_000,
  )
})
