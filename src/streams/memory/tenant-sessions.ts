import { StreamsClosed } from '../../protocol/errors/errors.ts'
import type { HilMessage } from '../../protocol/hil/hil.ts'
import { checkName } from '../shared/check.ts'
import type { Ring, Watches } from '../shared/watches.ts'
import type { Backing } from './backing.ts'
import { type MemorySession, put } from './memory-session.ts'

/** Something that is waited for in a session. `look` returns it once it is there. */
interface SessionWait<T> {
  ring: Ring
  waitMs: number
  signal: AbortSignal | undefined
  look(session: MemorySession): T | undefined
}

/** The sessions of one tenant, and who is woken when they change. */
export class TenantSessions {
  readonly backing: Backing
  readonly tenantId: string

  constructor(backing: Backing, tenantId: string) {
    this.backing = backing
    this.tenantId = tenantId
  }

  get watches(): Watches {
    return this.backing.watches
  }

  /** Throws `StreamsClosed` after a shutdown. */
  keyOf(session: string): string {
    if (this.backing.closed) throw new StreamsClosed()
    checkName('session', session)
    return JSON.stringify([this.tenantId, session])
  }

  /** The watched key of a reader's list of sessions. No session has such a key. */
  readerKey(reader: string): string {
    return JSON.stringify([this.tenantId, reader, 'reader'])
  }

  /** The session of a key. Ends it if it has expired. */
  find(key: string): MemorySession | undefined {
    const { sessions, clock } = this.backing
    const found = sessions.get(key)
    if (found === undefined || found.expiresAt > clock.now()) return found
    this.end(key)
    return undefined
  }

  end(key: string): void {
    this.backing.sessions.delete(key)
    this.watches.ring(key, 'end')
  }

  /** Puts a message at the end and wakes its readers. */
  put(key: string, session: MemorySession, message: HilMessage): string {
    const position = put(session, message, this.backing.nextPosition)
    this.watches.ring(key, 'message')
    this.ringReaders(message.meta?.reviewers ?? [])
    return position
  }

  /** Wakes those who wait for their list of sessions to change. */
  ringReaders(readers: readonly string[]): void {
    for (const reader of readers) this.watches.ring(this.readerKey(reader), 'message')
  }

  /** Looks until there is something, the session is gone, or the time is up. */
  async waitFor<T>(key: string, wait: SessionWait<T>): Promise<T | { kind: 'empty' } | { kind: 'missing' }> {
    const { clock, lookMs } = this.backing
    let watch: ReturnType<Watches['watch']> | undefined
    try {
      for (;;) {
        const session = this.find(key)
        if (!session) return this.backing.closed ? { kind: 'empty' } : { kind: 'missing' }
        const found = wait.look(session)
        if (found) return found
        if (wait.waitMs === 0 || wait.signal?.aborted) return { kind: 'empty' }
        watch ??= this.watches.watch(key, wait)
        const atMost = Math.min(session.expiresAt - clock.now(), lookMs)
        if ((await watch.next(atMost)) === 'over') return { kind: 'empty' }
      }
    } finally {
      watch?.close()
    }
  }
}
