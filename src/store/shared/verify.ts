import type { AuditKey } from '../../protocol/chain/audit-key.ts'
import { type ChainPart, findBreak, findGap } from '../../protocol/chain/find-break.ts'
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
