import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Store } from '../../src/index.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import type { Running } from '../cli/support/programs.ts'
import { until } from '../support/until.ts'

/** The module of the tests' agents. */
export const AGENTS = fileURLToPath(new URL('./payers.js', import.meta.url))
export const SECRET = 'a secret of the tests that is long enough for HS256'

/** A folder, and a file in which the agent notes what it paid. */
export function scene(): { dir: string; paid: string; read(): string[] } {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-operate-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const paid = join(dir, 'paid')
  const read = () => {
    try {
      return readFileSync(paid, 'utf8').split('\n').filter(Boolean)
    } catch {
      // Nothing was paid yet.
      return []
    }
  }
  return { dir, paid, read }
}

/** The store in a scene's folder. */
export function fileStore(dir: string): Store {
  const store = sqliteStore({ path: join(dir, 'store.db'), durability: 'process' })
  onTestFinished(() => store.close())
  return store
}

/** The lines that a process has logged. */
export function logged(running: Running): Record<string, unknown>[] {
  return running.output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** An address that a process has logged. */
export async function urlOf(running: Running, field: 'url' | 'health'): Promise<string> {
  await running.shows(new RegExp(`"${field}":"http[^\n]*\n`))
  return logged(running).find((line) => field in line)?.[field] as string
}

/** The first open request, as soon as there is one. */
export async function asked(store: Store): Promise<string> {
  let id = ''
  await until(async () => {
    id = (await store.findRequests({ status: 'open' })).requests[0]?.id ?? ''
    return id !== ''
  })
  return id
}

/** A request with a time limit. */
export function get(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { headers, signal: AbortSignal.timeout(10_000) })
}
