import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const running = z.object({ pid: z.number().int().positive(), url: z.string() })
/** The process that serves a data folder, and where. */
export type Running = z.infer<typeof running>

const fileIn = (folder: string) => join(folder, 'running.json')

/** The process that serves a folder now. A process that was killed leaves its file behind, so it is asked whether it answers. */
export async function runningIn(folder: string): Promise<Running | undefined> {
  const found = lastRunIn(folder)
  if (!found || !isAlive(found.pid)) return undefined
  try {
    const { ok } = await fetch(`${found.url}/healthz`, { signal: AbortSignal.timeout(2_000) })
    return ok ? found : undefined
  } catch {
    // Nobody listens there: another process has the number now.
    return undefined
  }
}

/** The process that served a folder last. */
export function lastRunIn(folder: string): Running | undefined {
  try {
    return running.safeParse(JSON.parse(readFileSync(fileIn(folder), 'utf8'))).data
  } catch {
    // There is no such file, or a crash has cut it off.
    return undefined
  }
}

/** Says that this process serves a folder. Returns how to take that back. */
export function sayRunning(folder: string, now: Running): () => void {
  const path = fileIn(folder)
  writeFileSync(`${path}.new`, JSON.stringify(now), { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return () => {
    if (lastRunIn(folder)?.pid === now.pid) rmSync(path, { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
