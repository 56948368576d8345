import { idempotencyKey } from '../../../src/core/digest.ts'
import type { Story } from './check.ts'
import type { Evidence } from './evidence.ts'

/** A run goes on with the version of the code that it began on, until somebody moves it to another. */
export function checkVersion({ threadId, entries }: Story, { effects, store }: Evidence): string[] {
  const versionAt = new Map<string, string | undefined>()
  const keys = new Map<string, string>()
  const starts = new Map<string, string>()
  let version: string | undefined
  for (const { entry } of entries) {
    if (entry.type === 'run.opened' || entry.type === 'run.moved') version = entry.agent.version
    if (entry.type === 'call.released') keys.set(entry.call, idempotencyKey(store.tenantId, entry.call, entry.digest))
    if (entry.type === 'call.started') starts.set(entry.call, `${keys.get(entry.call)} ${entry.attempt}`)
    // A body that waited for an answer is entered again by the version that the run was moved to meanwhile.
    if (entry.type === 'call.started' || entry.type === 'step.started')
      versionAt.set(starts.get(entry.call) ?? '', version)
  }
  return effects.flatMap(({ threadId: own, tool, version: ran, key, attempt }) => {
    const start = `${key} ${attempt}`
    if (own !== threadId || !versionAt.has(start) || versionAt.get(start) === ran) return []
    return [`a run stays on its version: ${tool} of ${threadId} ran on ${ran}, not ${versionAt.get(start)}`]
  })
}
