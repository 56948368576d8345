import type { RequestItem } from '../../protocol/api/requests.ts'
import type { Verdict } from './verdict.ts'

/** Where held decisions are kept: `sessionStorage`, or whatever has its methods. */
export interface HeldStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** A decision that was held. */
export interface HeldEntry {
  /** Its idempotency key. */
  key: string
  /** When it was first sent, 0 if it never was. */
  sentAt: number
  /** It may have arrived. */
  perhaps: boolean
  request: RequestItem
  verdict: Verdict
}

interface Stored {
  v: 1
  /** Tenant and id. */
  person: string
  held: HeldEntry[]
}

const KEY = 'holdpoint.held'

/** Keeps the held decisions of one person over a reload of the page. They are shown again, and sent only when the person says so. */
export class HeldBox {
  readonly #storage: HeldStorage | undefined
  #person: string | undefined

  constructor(storage: HeldStorage | undefined) {
    this.#storage = storage
  }

  /** Says who is signed in. Returns what they held; what somebody else held is removed. */
  open({ tenant, id }: { tenant: string; id: string }): HeldEntry[] {
    this.#person = JSON.stringify([tenant, id])
    const stored = readStored(this.#storage?.getItem(KEY))
    if (stored?.person === this.#person) return stored.held
    this.#storage?.removeItem(KEY)
    return []
  }

  /** Keeps these, and no others. */
  keep(held: readonly HeldEntry[]): void {
    if (this.#person === undefined) return
    if (held.length === 0) return this.clear()
    try {
      this.#storage?.setItem(KEY, JSON.stringify({ v: 1, person: this.#person, held: [...held] } satisfies Stored))
    } catch {
      // The storage is full or refused. They stay in memory; half of them must not pass for all.
      this.clear()
    }
  }

  /** Keeps nothing. */
  clear(): void {
    this.#storage?.removeItem(KEY)
  }
}

function readStored(text: string | null | undefined): Stored | undefined {
  try {
    const stored = JSON.parse(text ?? 'null') as Stored | null
    return stored?.v === 1 && Array.isArray(stored.held) && stored.held.every(isEntry) ? stored : undefined
  } catch {
    return undefined
  }
}

function isEntry({ key, sentAt, perhaps, request, verdict }: Partial<HeldEntry>): boolean {
  return (
    typeof key === 'string' &&
    typeof sentAt === 'number' &&
    typeof perhaps === 'boolean' &&
    typeof request?.id === 'string' &&
    typeof request.version === 'number' &&
    (verdict?.kind === 'decide' || verdict?.kind === 'answer' || verdict?.kind === 'cancel')
  )
}
