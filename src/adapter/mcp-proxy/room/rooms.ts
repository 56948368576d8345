import { NO_LIMIT_MS } from '../../mcp/connection.ts'
import type { Room } from './room.ts'

/** How many rooms there may be over HTTP, and how long one stays open that nothing uses. */
export interface RoomLimits {
  readonly idleSeconds: number
  readonly maxPrincipals: number
}

/** What the rooms of a proxy are made and left with. */
export interface RoomHooks {
  open(principal: string): Room
  /** A room is about to be closed because nothing uses it: what refers to it ends. */
  onIdle(principal: string): void
}

/** A room, and what counts its uses: requests under way, and clients that are connected for good. */
export interface KeptRoom {
  readonly room: Room
  /** The room stays open until the returned function is called. */
  use(): () => void
}

/** The rooms of a proxy, one for each principal. One that nothing uses is closed after the idle limit; the next request opens another. */
export class Rooms {
  readonly #limits: RoomLimits
  readonly #hooks: RoomHooks
  readonly #kept = new Map<string, KeptRoom & { stop(): void }>()
  readonly #closing = new Set<Promise<void>>()
  #isClosed = false

  constructor(limits: RoomLimits, hooks: RoomHooks) {
    this.#limits = limits
    this.#hooks = hooks
  }

  /** Why a caller over HTTP gets no room now. */
  objection(principal: string): string | undefined {
    if (this.#isClosed) return 'The proxy is closed.'
    const { maxPrincipals } = this.#limits
    if (this.#kept.has(principal) || this.#kept.size < maxPrincipals) return undefined
    return `The proxy already serves ${maxPrincipals} principals, its limit (maxPrincipals). Try again later.`
  }

  of(principal: string): KeptRoom {
    const known = this.#kept.get(principal)
    if (known) return known
    const kept = this.#keep(principal, this.#hooks.open(principal))
    this.#kept.set(principal, kept)
    return kept
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const principal of [...this.#kept.keys()]) this.#end(principal)
    await Promise.all(this.#closing)
  }

  #keep(principal: string, room: Room): KeptRoom & { stop(): void } {
    let uses = 0
    let timer: NodeJS.Timeout | undefined
    const stop = (): void => clearTimeout(timer)
    const idle = (): void => {
      this.#hooks.onIdle(principal)
      this.#end(principal)
    }
    const use = (): (() => void) => {
      stop()
      uses += 1
      let isIn = true
      return () => {
        if (!isIn) return
        isIn = false
        uses -= 1
        if (uses > 0 || this.#kept.get(principal)?.room !== room) return
        timer = setTimeout(idle, Math.min(this.#limits.idleSeconds * 1000, NO_LIMIT_MS))
        timer.unref()
      }
    }
    return { room, use, stop }
  }

  #end(principal: string): void {
    const kept = this.#kept.get(principal)
    if (!kept) return
    kept.stop()
    this.#kept.delete(principal)
    const closing = kept.room.close().finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }
}
