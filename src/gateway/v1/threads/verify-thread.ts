import type { Store } from '../../../ports/store.ts'
import type { ChainedEntry, ThreadHead } from '../../../ports/stored-entry.ts'
import { checkChain, problemOfErasure } from '../../../protocol/chain/find-break.ts'
import { HoldpointError } from '../../../protocol/errors/error-base.ts'

/** What a check of a thread's hash chain found. */
export interface ThreadCheck {
  readonly entries: number
  /** How many bodies were erased. */
  readonly erased: number
  /** Its head is signed, and the store has checked the signature. */
  readonly signed: boolean
  readonly problem?: string
}

/** Computes a thread's hash chain again from its first entry, and lets the store check the signature of its end. */
export async function verifyThread(store: Store, threadId: string): Promise<ThreadCheck> {
  const { head, entries } = await readWhole(store, threadId)
  const part = { tenant: store.tenantId, threadId, after: 0, previous: undefined, entries, links: entries, end: head }
  const { broken: found, erased } = checkChain(part)
  const broken = found && `entry ${found.seq}: ${found.problem}`
  const beyond = entries.length > head.version ? 'it has entries after its end' : undefined
  const problem = broken ?? beyond ?? problemOfErasure(head, erased)
  if (problem !== undefined) return { entries: entries.length, erased, signed: false, problem }
  return { entries: entries.length, erased, ...(await signatureOf(store, threadId, head)) }
}

/** Reads again if the thread grew between reading its head and its entries. */
async function readWhole(store: Store, threadId: string): Promise<{ head: ThreadHead; entries: ChainedEntry[] }> {
  for (let tries = 0; ; tries++) {
    const head = await store.readHead(threadId)
    const entries = await store.readChain(threadId)
    if (entries.length <= head.version || tries === 5) return { head, entries }
  }
}

/** A store with an audit key refuses to read a thread whose end is not the one that was signed. */
async function signatureOf(
  store: Store,
  threadId: string,
  { version, mac }: ThreadHead,
): Promise<Pick<ThreadCheck, 'signed' | 'problem'>> {
  try {
    await store.read(threadId, { after: version })
    return { signed: mac !== null }
  } catch (error) {
    if (!HoldpointError.isInstance(error)) throw error
    // The store has checked the signature before it refuses to read.
    if (error.code === 'thread_erased') return { signed: mac !== null }
    if (error.code !== 'store_corrupt' && error.code !== 'audit_key_missing') throw error
    return { signed: false, problem: error.message }
  }
}
