import type { Append, AppendOutcome, Lease, RequestChange, Store } from '../../ports/store.ts'
import { type BrokenStore, breakStore } from './broken-store.ts'

/** Stores that accept what a guard must refuse. */
export const brokenGuards: readonly BrokenStore[] = [
  {
    name: 'ignores the version of an append',
    rejectedBy: [
      'an append at another version is refused with the current version and writes nothing',
      'of 50 racing appends at one version exactly one is accepted',
    ],
    harness: breakStore((sound) => ({
      append: ({ version: _, ...append }) => sound.append(append),
    })),
  },
  {
    name: 'ignores the head of an append',
    rejectedBy: [
      'an append to another head of the same version is refused and writes nothing, as after a restored backup',
    ],
    harness: breakStore((sound) => ({
      append: ({ head: _, ...append }) => sound.append(append),
    })),
  },
  {
    name: 'makes the head of the version alone',
    rejectedBy: [
      'an append to another head of the same version is refused and writes nothing, as after a restored backup',
    ],
    harness: breakStore((sound) => ({
      async append({ head, ...append }) {
        const { version, now } = await sound.read(append.threadId)
        if (head !== undefined && head !== `v${version}`)
          return { ok: false, conflict: { kind: 'version', version }, now }
        const outcome = await sound.append(append)
        return outcome.ok ? { ...outcome, head: `v${outcome.version}` } : outcome
      },
      async read(threadId, options) {
        const slice = await sound.read(threadId, options)
        const follows = `v${slice.version - slice.entries.length}`
        return { ...slice, head: `v${slice.version}`, follows }
      },
    })),
  },
  {
    name: 'takes what entries follow for the newest head',
    rejectedBy: ['the head changes with every entry and with nothing else, and identifies the history'],
    harness: breakStore((sound) => ({
      async read(threadId, options) {
        const slice = await sound.read(threadId, options)
        return { ...slice, follows: slice.head }
      },
    })),
  },
  {
    name: 'goes by the token of a lease alone',
    rejectedBy: [
      'a token of another holder cannot write, renew or drop, as after a restored backup',
      'a lease can be taken over only by naming its holder and token',
    ],
    harness: breakStore((sound) => ({
      async append(append) {
        const { lease } = await sound.read(append.threadId)
        return sound.append(lease ? withHolderOf(append, lease) : append)
      },
      async renewLease(threadId, renewal) {
        const { lease } = await sound.read(threadId)
        return sound.renewLease(threadId, { ...renewal, holder: lease?.holder ?? renewal.holder })
      },
    })),
  },
  {
    name: 'checks the version first and writes later',
    rejectedBy: ['of 50 racing appends at one version exactly one is accepted'],
    harness: breakStore((sound) => ({
      async append({ version, ...append }): Promise<AppendOutcome> {
        const { version: current, now } = await sound.read(append.threadId)
        if (version !== undefined && version !== current) {
          return { ok: false, conflict: { kind: 'version', version: current }, now }
        }
        return sound.append(append)
      },
    })),
  },
  {
    name: 'ignores the version of a request',
    rejectedBy: [
      'a change at another version is refused, names the request, and nothing of its append is written',
      'of 50 racing decisions exactly one is accepted',
    ],
    harness: breakStore((sound) => ({
      async append(append) {
        for (;;) {
          const requests = await Promise.all((append.requests ?? []).map((change) => atCurrentVersion(sound, change)))
          const outcome = await sound.append({ ...append, requests })
          const known =
            !outcome.ok && outcome.conflict.kind === 'request' && (await sound.getRequest(outcome.conflict.id))
          if (!known || known.threadId !== append.threadId) return outcome
        }
      },
    })),
  },
  {
    name: 'accepts a change of a request after its time',
    rejectedBy: ['a change that must come before a time is refused from that time on, by the clock of the store'],
    harness: breakStore((sound) => ({
      append: (append) => sound.append({ ...append, requests: (append.requests ?? []).map(withoutDeadline) }),
    })),
  },
  {
    name: 'writes the entries of an append whose request was refused',
    rejectedBy: ['a change at another version is refused, names the request, and nothing of its append is written'],
    harness: breakStore((sound) => ({
      async append(append) {
        const outcome = await sound.append(append)
        if (!outcome.ok && outcome.conflict.kind === 'request') {
          await sound.append({ threadId: append.threadId, entries: append.entries })
        }
        return outcome
      },
    })),
  },
  {
    name: 'lets a token write whose time is over',
    rejectedBy: ['an expired token cannot write, even if nobody took the lease since'],
    harness: breakStore((sound) => ({
      async append(append) {
        const outcome = await sound.append(append)
        const over = !outcome.ok && outcome.conflict.kind === 'lease' && outcome.conflict.lease === null
        return over && append.lease?.op === 'hold' ? sound.append(withoutLease(append)) : outcome
      },
    })),
  },
  {
    name: 'gives a held lease to a second taker of the same name',
    rejectedBy: ['taking a held lease again under the same holder name is refused'],
    harness: breakStore((sound) => ({
      async append(append) {
        const outcome = await sound.append(append)
        if (outcome.ok || outcome.conflict.kind !== 'lease' || append.lease?.op !== 'take') return outcome
        const { lease } = outcome.conflict
        if (lease?.holder !== append.lease.holder) return outcome
        return sound.append({ ...append, lease: { ...append.lease, over: lease } })
      },
    })),
  },
  {
    name: 'gives the same token again',
    rejectedBy: ['tokens grow each time a lease is taken, however the last one ended', 'an older token cannot write'],
    harness: breakStore((sound) => ({
      async append(append) {
        const { lease } = await sound.read(append.threadId)
        const outcome = await sound.append(withRealToken(append, lease?.token))
        return outcome.ok && outcome.lease ? { ...outcome, lease: { ...outcome.lease, token: 1 } } : outcome
      },
    })),
  },
  {
    name: 'refuses the neighbours of a refused append',
    rejectedBy: ['a refused append does not disturb its neighbours of the same tick'],
    harness: breakStore((sound) => {
      let batch: Promise<boolean>[] = []
      return {
        async append(append) {
          const slice = sound.read(append.threadId)
          batch.push(slice.then(({ version }) => append.version === undefined || append.version === version))
          await Promise.resolve()
          const verdicts = await Promise.all(batch)
          batch = []
          const { version, now } = await slice
          return verdicts.every(Boolean)
            ? sound.append(append)
            : { ok: false, conflict: { kind: 'version', version }, now }
        },
      }
    }),
  },
  {
    name: 'keeps a lease until the time that a wrong clock gave it',
    rejectedBy: ['a lease from a clock a day ahead does not lock others out, and its holder keeps it by holding it'],
    harness: breakStore((sound, clock) => {
      const given = new Map<string, Lease>()
      return {
        async append(append) {
          const held = given.get(append.threadId)
          if (append.lease?.op === 'take' && append.lease.over !== held?.token && held && held.until > clock.now())
            return { ok: false, conflict: { kind: 'lease', lease: held }, now: clock.now() }
          const outcome = await sound.append(append)
          if (outcome.ok && outcome.lease) given.set(append.threadId, outcome.lease)
          else if (outcome.ok) given.delete(append.threadId)
          return outcome
        },
      }
    }),
  },
]

async function atCurrentVersion(sound: Store, change: RequestChange): Promise<RequestChange> {
  const known = change.op === 'change' ? await sound.getRequest(change.id) : undefined
  return known && change.op === 'change' ? { ...change, from: known.version } : change
}

function withoutDeadline(change: RequestChange): RequestChange {
  if (change.op !== 'change') return change
  const { before: _, ...rest } = change
  return rest
}

function withoutLease({ lease: _, ...append }: Append): Append {
  return append
}

function withHolderOf({ lease, ...append }: Append, { holder }: Lease): Append {
  if (lease === undefined) return append
  if (lease.op !== 'take') return { ...append, lease: { ...lease, holder } }
  return { ...append, lease: lease.over ? { ...lease, over: { ...lease.over, holder } } : lease }
}

function withRealToken(append: Append, token: number | undefined): Append {
  if (append.lease === undefined || append.lease.op === 'take' || token === undefined) return append
  return { ...append, lease: { ...append.lease, token } }
}
