import type { Append, Store } from '../../../src/ports/store.ts'

/** Whether it writes an entry of this type. */
export const has = ({ entries }: Append, type: string): boolean =>
  entries.some((body) => body.includes(`"type":"${type}"`))

/** A store that changes appends before they are judged. */
export function changing(sound: Store, change: (append: Append, store: Store) => Append | Promise<Append>): Store {
  return {
    ...sound,
    append: async (append) => sound.append(await change(append, sound)),
    tenant: (id) => changing(sound.tenant(id), change),
  }
}

/** An append without some of its parts. */
export function without<K extends keyof Append>(append: Append, ...keys: K[]): Append {
  const left = { ...append }
  for (const key of keys) delete left[key]
  return left
}
