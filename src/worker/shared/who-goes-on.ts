import type { Store } from '../../ports/store.ts'
import type { RequestDetail } from '../../protocol/api/requests.ts'
import { isServed, usesWorkers } from './live-workers.ts'

/** Which version of an agent goes on with a thread after a decision, and whether a live worker has it. */
export type WhoGoesOn = NonNullable<RequestDetail['resumable']>

/** For a thread on a store whose threads workers drive. `undefined`: they do not, or the thread has no run. */
export async function whoGoesOn(store: Store, threadId: string): Promise<WhoGoesOn | undefined> {
  if (!(await usesWorkers(store))) return undefined
  const { wake } = await store.read(threadId, { after: Number.MAX_SAFE_INTEGER })
  const { agent, agentVersion: version } = wake
  return agent === null ? undefined : { live: await isServed(store, agent, version), agent, version }
}
