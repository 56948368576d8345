import { bodyHash, CHAIN_START, chainOf } from './chain.ts'

/** An entry as found in a store. After tampering it may hold anything. */
interface FoundEntry {
  readonly seq: number
  readonly at: number
  readonly body: string
}

/** The link from an entry to the one before it. */
export interface Link {
  readonly salt: Uint8Array
  readonly hash: Uint8Array
}

/** The last entry of a thread, as the thread's own row records it. */
export interface ChainEnd {
  readonly version: number
  readonly hash: Uint8Array
}

/**
 * The entries of a thread after number `after`, to the end. `previous` is the hash of entry `after`; not needed if
 * `after` is 0.
 */
export interface ChainPart {
  readonly tenant: string
  readonly threadId: string
  readonly after: number
  readonly previous: Uint8Array | undefined
  readonly entries: readonly FoundEntry[]
  /** The links of `entries`, in the same order. */
  readonly links: readonly Link[]
  readonly end: ChainEnd
}

/** The first entry that differs from what was written. */
export interface ChainBreak {
  readonly seq: number
  readonly problem: string
}

/** Finds an entry that is missing, duplicated, out of order or of the wrong type. Does not check bodies. */
export function findGap({ after, previous, entries, end }: ChainPart): ChainBreak | undefined {
  if (after > 0 && !previous) return { seq: after, problem: 'it is missing' }
  let seq = after
  for (const entry of entries) {
    seq += 1
    if (entry.seq !== seq) return { seq, problem: 'it is missing' }
    if (typeof entry.body !== 'string' || !Number.isSafeInteger(entry.at)) {
      return { seq, problem: 'its row holds values of another type' }
    }
  }
  return seq < end.version ? { seq: seq + 1, problem: 'it is missing' } : undefined
}

/** Finds the first entry whose hash does not follow from the previous one, its header and its body. */
export function findBreak(part: ChainPart): ChainBreak | undefined {
  return checkChain(part).broken
}

/** What a check of a chain found. `erased`: how many bodies were replaced, each accounted for by an `erased` entry. */
export interface CheckedChain {
  readonly broken: ChainBreak | undefined
  readonly erased: number
}

/** Checks a chain, and counts the bodies that were erased. */
export function checkChain(part: ChainPart): CheckedChain {
  const gap = findGap(part)
  if (gap) return { broken: gap, erased: 0 }
  const { after, entries, end } = part
  const link = chainOf(part.tenant, part.threadId)
  let previous = part.previous ?? CHAIN_START
  let erasures: ReadonlyMap<number, Erasure> | undefined
  let erased = 0
  for (const [index, entry] of entries.entries()) {
    const { seq, body } = entry
    const { salt, hash } = part.links[index]!
    const own = bodyHash(salt, body)
    let computed = link(entry, previous, own)
    if (!same(computed, hash)) {
      erasures ??= erasuresIn(entries)
      const erasure = erasures.get(seq)
      if (erasure?.now === hex(own)) computed = link(entry, previous, latin1(erasure.was))
      if (!same(computed, hash))
        return { broken: { seq, problem: 'its body, time or place is not what was written' }, erased }
      erased += 1
    }
    previous = computed
  }
  const last = Math.max(after, entries.at(-1)?.seq ?? 0)
  const isCut = last > 0 && last === end.version && !same(previous, end.hash)
  return { broken: isCut ? { seq: last, problem: 'the thread does not end with it' } : undefined, erased }
}

/** A thread that is marked as erased, so that nobody can read it, and has no erased body: somebody hides it. */
export function problemOfErasure({ erased: isMarked }: { erased?: true }, erased: number): string | undefined {
  return isMarked && erased === 0 ? 'it is marked as erased, and no entry says so' : undefined
}

/** A replaced body, as a later entry records it: its salted hash before and now. */
interface Erasure {
  readonly was: string
  readonly now: string
}

/** The replacements that `erased` entries record. The chain covers these entries like any other. */
function erasuresIn(entries: readonly FoundEntry[]): ReadonlyMap<number, Erasure> {
  const erasures = new Map<number, Erasure>()
  for (const { seq, body } of entries) {
    if (!body.includes('"erased"')) continue
    const { type, entry, was, now } = parsed(body)
    if (type === 'erased' && typeof entry === 'number' && entry < seq) {
      erasures.set(entry, { was: String(was), now: String(now) })
    }
  }
  return erasures
}

function parsed(body: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(body)) as Record<string, unknown>
  } catch {
    return {}
  }
}

function same(a: Uint8Array, b: unknown): boolean {
  return b instanceof Uint8Array && Buffer.compare(a, b) === 0
}

function hex(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('hex')
}

function latin1(hexadecimal: string): string {
  return Buffer.from(hexadecimal, 'hex').toString('latin1')
}
