import { ERASURE } from '../../../src/erasure/pending.ts'
import type { ChainedEntry } from '../../../src/ports/stored-entry.ts'
import { bodyHash, CHAIN_START, chainHash } from '../../../src/protocol/chain/chain.ts'
import { ERASED_BODY } from '../../../src/protocol/chain/erase-chain.ts'
import { isThreadErased } from '../../../src/protocol/errors/errors.ts'
import { ERASURES_THREAD } from '../../../src/protocol/ids.ts'
import { STUCK } from '../../../src/worker/shared/stuck.ts'
import type { ErasedThread, Evidence } from './evidence.ts'

/** A thread that was erased: nothing of it is left, its chain still verifies, nothing ran afterwards, and who erased it is on record once. */
export async function checkErased(was: ErasedThread, evidence: Evidence): Promise<string[]> {
  const { threadId, at } = was
  const chain = await evidence.store.readChain(threadId)
  const problems = checkBodies(was, chain)
  if (problems.length === 0) problems.push(...checkLinks(was, { tenant: evidence.store.tenantId, chain }))
  for (const effect of evidence.effects)
    if (effect.threadId === threadId && effect.at > at)
      problems.push(`nothing runs in a thread that was erased: ${effect.tool} of ${threadId}`)
  return evidence.isOver ? [...problems, ...(await checkTraces(threadId, evidence))] : problems
}

/** As many bodies are replaced as there were, and one entry accounts for each. */
function checkBodies({ threadId, chain: before }: ErasedThread, chain: readonly ChainedEntry[]): string[] {
  const [bodies, accounts] = [chain.slice(0, before.length), chain.slice(before.length)]
  const kept = bodies.find(({ body }) => body !== ERASED_BODY)
  if (kept) return [`what was erased is gone: entry ${kept.seq} of ${threadId} has its body`]
  const accounted = accounts.map(({ body }) => JSON.parse(body) as { type: string; entry?: number })
  const isComplete = accounted.every(({ type, entry }, index) => type === 'erased' && entry === index + 1)
  if (isComplete && accounted.length === before.length) return []
  return [
    `every chain verifies: ${accounted.length} of ${before.length} erased bodies of ${threadId} are accounted for`,
  ]
}

/** The hashes are those that the thread had, and follow from the hashes of bodies that the accounts give. */
function checkLinks(
  { threadId, chain: before }: ErasedThread,
  { tenant, chain }: { tenant: string; chain: readonly ChainedEntry[] },
): string[] {
  let previous = CHAIN_START
  for (const [index, { seq, at, body, salt, hash }] of chain.entries()) {
    const account = chain[before.length + index]
    const was = account && (JSON.parse(account.body) as { was: string }).was
    const own = was === undefined ? bodyHash(salt, body) : Buffer.from(was, 'hex').toString('latin1')
    const link = chainHash({ tenant, threadId, seq, at }, previous, own)
    const written = before[index]?.hash ?? link
    if (Buffer.compare(hash, link) !== 0 || Buffer.compare(hash, written) !== 0)
      return [`every chain verifies: link ${seq} of ${threadId}, which was erased`]
    previous = hash
  }
  return []
}

/** Nobody finds the thread any more, and exactly one entry says who erased it. */
async function checkTraces(threadId: string, { store }: Evidence): Promise<string[]> {
  const problems: string[] = []
  const left = (what: string) => void problems.push(`what was erased is gone: ${what} of ${threadId}`)
  const isReadable = await store.read(threadId).then(
    () => true,
    (error) => !isThreadErased(error),
  )
  if (isReadable) left('the journal')
  if ((await store.findRequests({ threadId })).requests.length > 0) left('a request')
  for (const kind of [STUCK, ERASURE]) if (await store.readRecord(kind, threadId)) left(`a record ${kind}`)
  const { threads } = await store.ready({ limit: 500 })
  const isDue = threads.some((each) => each.tenantId === store.tenantId && each.threadId === threadId)
  if (isDue) left('a wake mark')
  const { entries } = await store.read(ERASURES_THREAD)
  const recorded = entries.filter(({ body }) => (JSON.parse(body) as { thread?: string }).thread === threadId)
  if (recorded.length !== 1) problems.push(`each erasure is recorded once: ${recorded.length} times, ${threadId}`)
  return problems
}
