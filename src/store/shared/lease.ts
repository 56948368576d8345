import type { Lease, LeaseChange, LeaseClaim } from '../../ports/store.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'

/** A thread's lease as stored. `token` is the last one issued; `holder` is `null` once the lease was dropped. */
export interface LeaseSlot {
  readonly token: number
  readonly holder: string | null
  readonly until: number
}

/**
 * The maximum duration of a lease. A lease that would last longer from now was given by a clock that was ahead: others may take it, and its holder
 * keeps it by holding or renewing it.
 */
export const MAX_LEASE_MS = 300_000

/** Throws for a lease that would last too long. */
function checkTtl(ttlMs: number): void {
  if (!(ttlMs <= MAX_LEASE_MS)) throw new InputInvalid(`a lease lasts at most ${MAX_LEASE_MS} ms, not ${ttlMs}`)
}

/** Throws `InputInvalid` for a lease change that no store could apply. */
export function checkLease(change: LeaseChange): void {
  if (change.op !== 'take') return checkClaim(change)
  checkClaim({ holder: change.holder, token: 0 })
  checkTtl(change.ttlMs)
  if (change.over !== undefined) checkClaim(change.over)
}

/** The same for a renewal. */
export function checkRenewal(renewal: LeaseClaim & { ttlMs: number }): void {
  checkClaim(renewal)
  checkTtl(renewal.ttlMs)
}

function checkClaim({ holder, token }: LeaseClaim): void {
  if (typeof holder !== 'string') throw new InputInvalid('the holder of a lease must be a string')
  if (typeof token !== 'number') throw new InputInvalid('the token of a lease must be a number')
}

/** The lease of a thread that was never driven. */
export const NO_LEASE: LeaseSlot = { token: 0, holder: null, until: 0 }

/** The lease if it is held at this time. An expired lease is as free as a dropped one. */
export function liveLease(slot: LeaseSlot, now: number): Lease | null {
  if (slot.holder === null || slot.until <= now || slot.until - now > MAX_LEASE_MS) return null
  return { holder: slot.holder, token: slot.token, until: slot.until }
}

/**
 * The lease after a change, or `undefined` if it is refused. A live lease cannot be taken again, not even by the same holder: two activations of one
 * process must not both drive.
 */
export function changeLease(slot: LeaseSlot, change: LeaseChange, now: number): LeaseSlot | undefined {
  switch (change.op) {
    case 'take': {
      const live = liveLease(slot, now)
      if (live !== null && !isClaimOf(live, change.over)) return undefined
      const taken = { token: slot.token + 1, holder: change.holder, until: now + change.ttlMs }
      return change.thenDrop ? dropped(taken) : taken
    }
    case 'hold':
      if (!isHeld(slot, change, now)) return undefined
      return change.thenDrop ? dropped(slot) : { ...slot, until: Math.min(slot.until, now + MAX_LEASE_MS) }
    case 'drop':
      return isClaimOf(slot, change) ? dropped(slot) : slot
  }
}

/** The lease after a renewal, or `undefined` if it no longer belongs to this claim. */
export function renewLease(
  slot: LeaseSlot,
  renewal: LeaseClaim & { ttlMs: number },
  now: number,
): LeaseSlot | undefined {
  if (!isHeld(slot, renewal, now)) return undefined
  return { ...slot, until: now + renewal.ttlMs }
}

function isHeld(slot: LeaseSlot, claim: LeaseClaim, now: number): boolean {
  return isClaimOf(slot, claim) && slot.until > now
}

/** A dropped slot has no holder, so no claim matches it. */
function isClaimOf({ holder, token }: Pick<LeaseSlot, 'holder' | 'token'>, claim: LeaseClaim | undefined): boolean {
  return holder !== null && holder === claim?.holder && token === claim.token
}

/** The token stays, so that the next one is higher. */
function dropped(slot: LeaseSlot): LeaseSlot {
  return { token: slot.token, holder: null, until: 0 }
}
