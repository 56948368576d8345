import { type Clock, systemClock } from '../../ports/clock.ts'
import type { Streams } from '../../ports/streams.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { StreamsClosed } from '../../protocol/errors/errors.ts'
import { parseTenantId } from '../../protocol/ids.ts'
import { checkCount } from '../shared/check.ts'
import { createWatches } from '../shared/watches.ts'
import type { Backing } from './backing.ts'
import { createHolding } from './holding.ts'
import { createMessages } from './messages.ts'
import { createReplies } from './replies.ts'
import { createSessionLists } from './session-lists.ts'
import { TenantSessions } from './tenant-sessions.ts'

/** How memory streams are made. */
export interface MemoryStreamsOptions {
  /** Decides when sessions expire. */
  clock?: Clock
  /** How many notifications a session keeps; the oldest go first. Default 1000. */
  maxNotifications?: number
}

/** Message streams that live as long as their process. Views by tenant share them, and shutting one down shuts all down. */
export function memoryStreams(options: MemoryStreamsOptions = {}): Streams {
  requireKnown('memoryStreams', options, ['clock', 'maxNotifications'])
  const clock = options.clock ?? systemClock
  const backing: Backing = {
    clock,
    lookMs: clock === systemClock ? Number.POSITIVE_INFINITY : 10,
    maxNotifications: checkCount('maxNotifications', options.maxNotifications ?? 1000),
    sessions: new Map(),
    watches: createWatches(),
    nextPosition: positions(clock),
    forgetAt: 64,
    closed: false,
  }
  return bind(backing, 'default')
}

function bind(backing: Backing, tenantId: string): Streams {
  const sessions = new TenantSessions(backing, tenantId)
  return {
    tenantId,
    ...createHolding(sessions),
    ...createSessionLists(sessions),
    ...createMessages(sessions),
    ...createReplies(sessions),
    tenant: (id) => bind(backing, parseTenantId(id)),
    async ping() {
      if (backing.closed) throw new StreamsClosed()
    },
    async shutdown() {
      backing.closed = true
      backing.sessions.clear()
      backing.watches.end()
    },
  }
}

/** Positions of all sessions grow together, so that one that is opened again goes on above what its readers have seen. */
function positions(clock: Clock): () => string {
  let time = 0
  let count = 0
  return () => {
    const now = Math.floor(clock.now())
    count = now > time ? 0 : count + 1
    time = Math.max(time, now)
    return `${time}-${count}`
  }
}
