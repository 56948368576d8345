import type { Lease, LeaseChange, LeaseClaim } from '../../ports/store.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'

/** A thread's lease as it is stored: `token` is the last one that was given, `holder` is `null` once it was dropped. */
export interface LeaseSlot {
  readonly token: number
  readonly holder: string | null
  readonly until: number
}

/**
 * The longest time that a lease may be given for. A lease that would last longer from now was given by a clock that was ahead:
 * others may take it, and its holder keeps it by holding or renewing it.
 */
export const MAX_LEASE_MS = 300_000

/** Refuses a lease that would last too long. */
function checkTtl(ttlMs: number): void {
  if (!(ttlMs <= MAX_LEASE_MS)) throw new InputInvalid(`a lease lasts at most ${MAX_LEASE_MS} ms, not ${ttlMs}`)
}

/** Refuses a change of a lease that no store could apply. A mistake of the caller, so it is thrown. */
export function checkLease(change: LeaseChange): void {
  if (change.op !== 'take') return checkClaim(change)
  checkClaim({ holder: change.holder, token: 0 })
  checkTtl(change.ttlMs)
  if (change.over !== undefined) checkClaim(change.over)
}

/** The same for renewing. */
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

/** The lease if it is held at this time: an expired one is as free as a dropped one. */
export function liveLease(slot: LeaseSlot, now: number): Lease | null {
  if (slot.holder === null || slot.until <= now || slot.until - now > MAX_LEASE_MS) return null
  return { holder: slot.holder, token: slot.token, until: slot.until }
}

/**
 * What a change makes of a lease, or `undefined` when it is refused. A live lease refuses every other taking, also one under the same
 * holder's name: two activations of one process must not both drive.
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

/** What renewing makes of a lease, or `undefined` when it is no longer this claim's. */
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

/** A slot that was dropped has no holder, so no claim is its. */
function isClaimOf({ holder, token }: Pick<LeaseSlot, 'holder' | 'token'>, claim: LeaseClaim | undefined): boolean {
  return holder !== null && holder === claim?.holder && token === claim.token
}

/** The token stays, so that the next one is higher. */
function dropped(slot: LeaseSlot): LeaseSlot {
  return { token: slot.token, holder: null, until: 0 }
}
