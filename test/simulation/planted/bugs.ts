import type { Append, Store } from '../../../src/ports/store.ts'
import type { Agent } from '../../../src/runtime/agent/agent.ts'
import { makeClerk } from '../world/clerks.ts'
import type { PlantedBug } from './bug.ts'
import { changing, has, without } from './changing.ts'
import { ERASING } from './erasing.ts'
import { OPERATED } from './operated.ts'

/** Forgets who held the lease when somebody else takes it. */
async function overtaking(append: Append, store: Store): Promise<Append> {
  if (append.lease?.op !== 'take') return append
  const { lease } = await store.read(append.threadId, { after: Number.MAX_SAFE_INTEGER })
  return lease ? { ...append, lease: { ...append.lease, over: lease } } : append
}

/** Each version of the agent under the name of the other one. */
const MISTAKEN: readonly Agent[] = [makeClerk('2', '1'), makeClerk('1', '2')]

/** Clears the mark whatever was written since the driver looked. */
async function leaving(append: Append, store: Store): Promise<Append> {
  const isLast = append.wake?.op === 'set' && append.wake.at === null && !has(append, 'run.settled')
  if (!isLast) return append
  const { version, head } = await store.read(append.threadId, { after: Number.MAX_SAFE_INTEGER })
  return { ...append, version, head }
}

/** Rows of the outbox that a relay with a wrong cursor never reads. */
function skipping(sound: Store): Store {
  return {
    ...sound,
    async outbox(query) {
      const page = await sound.outbox(query)
      return { ...page, rows: page.rows.slice(1) }
    },
    tenant: (id) => skipping(sound.tenant(id)),
  }
}

/** Shows a time at which every window is over. */
function hasty(sound: Store): Store {
  return {
    ...sound,
    async read(threadId, options) {
      const slice = await sound.read(threadId, options)
      return { ...slice, now: slice.now + 5000 }
    },
    append: (append) => sound.append(without(append, 'notBefore')),
    tenant: (id) => hasty(sound.tenant(id)),
  }
}

/** Carries out the appends of starts twice, as a driver would that repeats what was not acknowledged. */
function repeating(sound: Store): Store {
  return {
    ...sound,
    async append(append) {
      const outcome = await sound.append(append)
      if (outcome.ok && has(append, 'call.started'))
        await sound.append({ ...without(append, 'version', 'head', 'lease', 'requests', 'grants', 'records') })
      return outcome
    },
    tenant: (id) => repeating(sound.tenant(id)),
  }
}

/** Renews leases that others have. */
function renewing(sound: Store): Store {
  return {
    ...sound,
    async renewLease(threadId, lease) {
      await sound.renewLease(threadId, lease)
      return true
    },
    tenant: (id) => renewing(sound.tenant(id)),
  }
}

/** One broken part for each guarantee. The simulation must find all of them. */
export const PLANTED: readonly PlantedBug[] = [
  {
    name: 'a lease that is looked at too early, and taken although somebody holds it',
    breaks: ['one driver'],
    store: (sound) => changing(sound, overtaking),
  },
  {
    name: 'an outbox cursor that skips a row',
    breaks: ['prompt'],
    store: skipping,
  },
  {
    name: 'a start that is written again because its acknowledgement was lost',
    breaks: ['every journal folds', 'no release is spent twice'],
    store: repeating,
  },
  {
    name: 'an undo window that a worker ignores',
    breaks: ['nothing starts inside an undo window'],
    store: hasty,
  },
  {
    name: 'a decision without a wake mark',
    breaks: ['nothing is stuck'],
    store: (sound) =>
      changing(sound, (append) => (has(append, 'request.decided') && !append.lease ? without(append, 'wake') : append)),
  },
  {
    name: 'a driver that leaves without looking at what came meanwhile',
    breaks: ['nothing is stuck'],
    store: (sound) => changing(sound, leaving),
  },
  {
    name: 'a deadline that the store does not enforce',
    breaks: ['nothing is decided after its deadline'],
    store: (sound) =>
      changing(sound, (append) =>
        append.requests
          ? {
              ...append,
              requests: append.requests.map((each) => {
                if (each.op !== 'change') return each
                const { before: _, ...change } = each
                return change
              }),
            }
          : append,
      ),
  },
  {
    name: 'a grant that is not charged',
    breaks: ['no budget is overspent'],
    store: (sound) =>
      changing(sound, (append) =>
        append.grants ? { ...append, grants: append.grants.filter(({ op }) => op !== 'spend') } : append,
      ),
  },
  {
    name: 'an answer to a request that was answered already',
    breaks: ['every journal folds'],
    store: (sound) =>
      changing(sound, async (append, store) => {
        if (!append.requests || append.lease) return append
        const changes = append.requests.map(async (each) => {
          if (each.op !== 'change') return each
          const known = await store.getRequest(each.id)
          return known ? { ...each, from: known.version } : each
        })
        return { ...append, requests: await Promise.all(changes) }
      }),
  },
  {
    name: 'a worker with the wrong version of the code',
    breaks: ['a run stays on its version'],
    agents: () => MISTAKEN,
  },
  {
    name: 'a renewal that is granted to whoever held the lease once',
    breaks: ['nothing runs on a lost lease'],
    store: renewing,
  },
  {
    name: 'a queue that loses every wake-up',
    breaks: ['prompt'],
    queue: (sound) => ({ ...sound, ring: async () => undefined }),
  },
  ...OPERATED,
  ...ERASING,
]
