import type { GrantChange, GrantRow } from '../../ports/store.ts'
import type { GrantReach, GrantStatus } from '../../ports/store-lists.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'

/** The state of a grant that its guards check. `thread` is the store's own number of the thread where it was given. */
export interface GrantHead<T> {
  readonly thread: T
  readonly uses: number | null
  readonly used: number
  readonly cap: number | null
  readonly spent: number
  readonly expiresAt: number | null
  readonly revoked: boolean
}

/**
 * Judges changes of grants as a pure function, so that every store refuses the same. Returns the id of the first refused grant, or all grants after the
 * changes. Changes of one append see those before them.
 */
export function judgeGrants<T>(
  changes: readonly GrantChange[],
  { now, thread, find }: { now: number; thread: T; find: (id: string) => GrantHead<T> | undefined },
): { refused: string } | { heads: ReadonlyMap<string, GrantHead<T>> } {
  const heads = new Map<string, GrantHead<T>>()
  for (const change of changes) {
    const id = change.op === 'create' ? change.row.id : change.id
    const after = changed(heads.get(id) ?? find(id), change, { now, thread })
    if (!after) return { refused: id }
    heads.set(id, after)
  }
  return { heads }
}

function changed<T>(
  head: GrantHead<T> | undefined,
  change: GrantChange,
  { now, thread }: { now: number; thread: T },
): GrantHead<T> | undefined {
  switch (change.op) {
    case 'create': {
      const { uses, used, cap, spent } = change.row
      return head ? undefined : { thread, uses, used, cap, spent, expiresAt: expiryOf(change, now), revoked: false }
    }
    case 'spend': {
      if (!head || statusOf(head, now) !== 'active') return undefined
      const spent = head.cap === null ? head.spent : head.spent + (change.amount ?? Number.NaN)
      const fits = head.cap === null || spent <= head.cap
      return fits ? { ...head, used: head.used + 1, spent } : undefined
    }
    case 'revoke':
      return head && !head.revoked && head.thread === thread ? { ...head, revoked: true } : undefined
  }
}

/** The expiry time of a grant that is created now. */
function expiryOf({ row, ttlMs }: Extract<GrantChange, { op: 'create' }>, now: number): number | null {
  return ttlMs === undefined ? row.expiresAt : now + ttlMs
}

/** The status of a grant at a time. */
export function statusOf(head: Omit<GrantHead<unknown>, 'thread'>, now: number): GrantStatus {
  if (head.revoked) return 'revoked'
  if (isUsedUp(head)) return 'used_up'
  return head.expiresAt !== null && head.expiresAt <= now ? 'expired' : 'active'
}

/** Whether all its uses are spent, regardless of time. */
export function isUsedUp({ uses, used }: Pick<GrantHead<unknown>, 'uses' | 'used'>): boolean {
  return uses !== null && used >= uses
}

type Reaching = Pick<GrantRow, 'scope' | 'run' | 'agent' | 'conversation'>

/** One string for the scope of a grant, so that one comparison finds it. */
export function placeOf({ scope, run, agent, conversation }: Reaching, threadId: string): string {
  switch (scope) {
    case 'run':
      return `run ${run}`
    case 'thread':
      return conversation === undefined ? `thread ${threadId}` : `conversation ${conversation}`
    case 'agent':
      return `agent ${agent}`
    case 'tenant':
      return 'tenant'
  }
}

/** The scopes whose grants cover a call. */
export function placesOf({ threadId, run, agents, conversation }: GrantReach): string[] {
  const shared = (['run', 'thread', 'tenant'] as const).map((scope) => placeOf({ scope, run, agent: '' }, threadId))
  if (conversation !== undefined) shared.push(placeOf({ scope: 'thread', run, agent: '', conversation }, threadId))
  return [...shared, ...new Set(agents.map((agent) => placeOf({ scope: 'agent', run, agent }, threadId)))]
}

/** Throws `InputInvalid` for changes that no store could apply. */
export function checkGrants(changes: readonly GrantChange[], entries: number): void {
  for (const change of changes) {
    if (change.op === 'spend') {
      const { amount = 0 } = change
      // To find out later whether an append was stored, a store searches for its entries.
      if (entries === 0) throw new InputInvalid('an append that spends a grant needs an entry')
      if (!Number.isFinite(amount) || amount < 0) throw new InputInvalid(`a grant cannot be spent by ${amount}`)
    } else if (!Number.isInteger(change.entry) || change.entry < 0 || change.entry >= entries) {
      throw new InputInvalid(`a grant change names entry ${change.entry} of ${entries}`)
    }
  }
}
