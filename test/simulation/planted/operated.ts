import type { GrantChange, Store } from '../../../src/ports/store.ts'
import { UNSERVED } from '../world/clerks.ts'
import type { PlantedBug } from './bug.ts'
import { changing, has, without } from './changing.ts'

const TENANTS = ['default', 'b']

/** Lets standing decisions count in all tenants. */
function sharing(sound: Store): Store {
  const foreign = TENANTS.filter((id) => id !== sound.tenantId)
  const own = async (change: GrantChange): Promise<boolean> => {
    if (change.op !== 'spend') return true
    const { grants } = await sound.findGrants({})
    return grants.some(({ id }) => id === change.id)
  }
  return {
    ...sound,
    async findGrants(query) {
      const pages = await Promise.all([sound, ...foreign.map((id) => sound.tenant(id))].map((t) => t.findGrants(query)))
      return { grants: pages.flatMap(({ grants }) => grants) }
    },
    async append(append) {
      const grants = append.grants ?? []
      const isOwn = await Promise.all(grants.map(own))
      return sound.append(append.grants ? { ...append, grants: grants.filter((_, index) => isOwn[index]) } : append)
    },
    tenant: (id) => sharing(sound.tenant(id)),
  }
}

/** Keeps the records of leaders for ever. */
function leadingForEver(sound: Store): Store {
  return {
    ...sound,
    writeRecords: (changes) =>
      sound.writeRecords(
        changes.map((change) => {
          if (change.op !== 'put' || change.kind !== 'leader') return change
          const { ttlMs: _, ...put } = change
          return put
        }),
      ),
    tenant: (id) => leadingForEver(sound.tenant(id)),
  }
}

/** Shows nobody the threads whose version no worker has. */
function hiding(sound: Store): Store {
  return {
    ...sound,
    async ready(query) {
      const page = await sound.ready(query)
      return { ...page, threads: page.threads.filter(({ agentVersion }) => agentVersion !== UNSERVED) }
    },
    tenant: (id) => hiding(sound.tenant(id)),
  }
}

/** Broken parts that tenants, questions, operators and records of workers meet. */
export const OPERATED: readonly PlantedBug[] = [
  {
    name: 'an answer without a wake mark',
    breaks: ['nothing is stuck'],
    store: (sound) => changing(sound, (append) => (has(append, 'request.answered') ? without(append, 'wake') : append)),
  },
  {
    name: 'an answer that is stored as another one',
    breaks: ['no decision is lost'],
    store: (sound) =>
      changing(sound, (append) => ({
        ...append,
        entries: append.entries.map((body) =>
          body.includes('"type":"request.answered"') ? body.replace('"answer":true', '"answer":false') : body,
        ),
      })),
  },
  {
    name: 'a standing decision that counts in every tenant',
    breaks: ['tenants are apart'],
    store: sharing,
  },
  {
    name: 'a wake-up that names the wrong tenant',
    breaks: ['prompt'],
    queue: (sound) => ({
      ...sound,
      ring: (wakeUp, options) => sound.ring({ ...wakeUp, tenantId: 'default' }, options),
    }),
  },
  {
    name: 'a move that leaves the mark of the thread on the old version',
    breaks: ['nothing is stuck'],
    store: (sound) => changing(sound, (append) => (has(append, 'run.moved') ? without(append, 'run') : append)),
  },
  {
    name: 'a list of stuck threads without those whose version nobody has',
    breaks: ['nothing is stuck'],
    store: hiding,
  },
  {
    name: 'a leader that stays the leader after it has crashed',
    breaks: ['prompt'],
    store: leadingForEver,
  },
]
