import type { AuditKey } from '../../protocol/chain/audit-key.ts'
import { type ChainEnd, type ChainPart, findBreak, findGap } from '../../protocol/chain/find-break.ts'
import { InputInvalid, StoreCorrupt } from '../../protocol/errors/errors.ts'

/**
 * How reads are verified: `'chain'` recomputes the hash of every entry, `'envelope'` checks only that all entries are there and in order.
 */
export type Verify = 'chain' | 'envelope'

/** How a store verifies reads, and its name for messages. */
export interface Trust {
  /** The file or database. */
  readonly store: string
  readonly verify: Verify
  readonly auditKeys: readonly AuditKey[]
}

/** Checks the option: an unknown value must not weaken verification. */
export function toVerify(verify: Verify = 'chain'): Verify {
  if (verify !== 'chain' && verify !== 'envelope') throw new InputInvalid(`verify must be 'chain' or 'envelope'`)
  return verify
}

/** A part of a thread as read. `beyond`: there are entries after the end. */
export interface ReadPart extends ChainPart {
  /** The file or database. */
  readonly store: string
  readonly beyond: boolean
}

/** Throws `StoreCorrupt` for entries that are not what was written. */
export function checkRead(verify: Verify, part: ReadPart): void {
  const found = verify === 'chain' ? findBreak(part) : findGap(part)
  const broken =
    found ?? (part.beyond ? { seq: part.end.version + 1, problem: 'the thread ended before it' } : undefined)
  if (!broken) return
  const { store, tenant, threadId } = part
  throw new StoreCorrupt({ store, tenantId: tenant, threadId, seq: broken.seq }, broken.problem)
}

/**
 * Whether each entry of a part follows from the one before it, up to number `to`. If that is the thread's last, it must be the one that its row
 * names. Where it does not, a later `erased` entry may account for it: read the whole thread.
 */
export function isSoundPart(
  verify: Verify,
  part: Omit<ChainPart, 'end'>,
  { to, head }: { to: number; head: ChainEnd },
): boolean {
  const hash = to === head.version ? head.hash : (part.links.at(-1)?.hash ?? head.hash)
  const whole = { ...part, end: { version: to, hash } }
  return (verify === 'chain' ? findBreak(whole) : findGap(whole)) === undefined
}
