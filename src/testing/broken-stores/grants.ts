import type { Append, GrantChange, Store } from '../../ports/store.ts'
import { type BrokenStore, breakStore } from './broken-store.ts'

/** Stores that overspend grants, or find grants that they must not. */
export const brokenGrants: readonly BrokenStore[] = [
  {
    name: 'does not count the uses of a grant',
    rejectedBy: [
      'a grant can be spent from any thread up to its number of uses',
      'of 50 racing spends of the last use exactly one is accepted',
    ],
    harness: breakStore((sound) => ({
      append: (append) => sound.append(mapGrants(append, (change) => (change.op === 'spend' ? [] : [change]))),
    })),
  },
  {
    name: 'takes a conversation for the thread that its grant was given in',
    rejectedBy: ['a conversation finds its grants from any of its threads, and they cover nothing else'],
    harness: breakStore((sound) => ({
      append: (append) =>
        sound.append(
          mapGrants(append, (change) => {
            if (change.op !== 'create') return [change]
            const { conversation: _, ...row } = change.row
            return [{ ...change, row }]
          }),
        ),
    })),
  },
  {
    name: 'looks at a grant first and spends it later',
    rejectedBy: ['of 50 racing spends of the last use exactly one is accepted'],
    harness: breakStore((sound) => ({
      async append(append) {
        const outcome = await sound.append({ threadId: append.threadId, entries: [], grants: [] })
        const now = outcome.ok ? outcome.at : outcome.now
        for (const change of append.grants ?? []) {
          if (change.op !== 'spend') continue
          const active = await isActive(sound, change.id)
          if (!active) return { ok: false, conflict: { kind: 'grant', id: change.id }, now }
        }
        const done = await sound.append(append)
        const late = !done.ok && done.conflict.kind === 'grant'
        return late ? sound.append(mapGrants(append, (change) => (change.op === 'spend' ? [] : [change]))) : done
      },
    })),
  },
  {
    name: 'forgets what was taken of a cap',
    rejectedBy: ['amounts add up to the cap at most, and a cap is not spent without an amount'],
    harness: breakStore((sound) => ({
      append: (append) =>
        sound.append(mapGrants(append, (change) => [change.op === 'spend' ? { ...change, amount: 0 } : change])),
    })),
  },
  {
    name: 'judges each change of a grant by what was there before the append',
    rejectedBy: ['changes of one append see those before them, and one that is refused undoes them all'],
    harness: breakStore((sound) => ({
      append(append) {
        const seen = new Set<string>()
        const once = (change: GrantChange): GrantChange[] => {
          const again = change.op === 'spend' && seen.has(change.id)
          if (change.op === 'spend') seen.add(change.id)
          return again ? [] : [change]
        }
        return sound.append(mapGrants(append, once))
      },
    })),
  },
  {
    name: 'writes the entries of an append whose grant was refused',
    rejectedBy: [
      'a grant can be spent from any thread up to its number of uses',
      'changes of one append see those before them, and one that is refused undoes them all',
    ],
    harness: breakStore((sound) => ({
      async append(append) {
        const outcome = await sound.append(append)
        if (!outcome.ok && outcome.conflict.kind === 'grant') {
          await sound.append({ threadId: append.threadId, entries: append.entries })
        }
        return outcome
      },
    })),
  },
  {
    name: 'takes the time of a grant from its caller',
    rejectedBy: ['a grant expires at its time, by the clock of the store'],
    harness: breakStore((sound) => ({
      append: (append) =>
        sound.append(
          mapGrants(append, (change) => {
            if (change.op !== 'create') return [change]
            const { ttlMs: _, ...rest } = change
            return [rest]
          }),
        ),
    })),
  },
  {
    name: 'lets any thread revoke a grant',
    rejectedBy: ['a revoked grant cannot be spent; a grant is revoked once, in the thread where it was given'],
    harness: breakStore((sound) => ({
      async append(append) {
        const outcome = await sound.append(append)
        const isRevoke = append.grants?.some(({ op }) => op === 'revoke')
        if (outcome.ok || outcome.conflict.kind !== 'grant' || !isRevoke) return outcome
        const { grants } = await sound.findGrants({ id: outcome.conflict.id })
        return grants[0] ? sound.append({ ...append, threadId: grants[0].threadId }) : outcome
      },
    })),
  },
  {
    name: 'finds grants of any run, thread and agent for a call',
    rejectedBy: ['a run, a thread, an agent and a tenant find the grants that cover them, and no others'],
    harness: breakStore((sound) => ({
      findGrants: ({ reach, ...query }) => sound.findGrants(reach ? { ...query, limit: 500 } : query),
    })),
  },
  {
    name: 'shares the grants of tenants',
    rejectedBy: ['grants are found, spent and revoked only by their own tenant'],
    harness: breakStore((sound) => ({ findGrants: (query) => sound.tenant('default').findGrants(query) })),
  },
  {
    name: 'ignores the page of a query for grants',
    rejectedBy: ['grants come newest first, in pages, by thread, agent and tool'],
    harness: breakStore((sound) => ({ findGrants: ({ cursor: _, ...query }) => sound.findGrants(query) })),
  },
]

function mapGrants(append: Append, map: (change: GrantChange) => GrantChange[]): Append {
  return append.grants ? { ...append, grants: append.grants.flatMap(map) } : append
}

async function isActive(sound: Store, id: string): Promise<boolean> {
  return (await sound.findGrants({ id })).grants.length > 0
}
