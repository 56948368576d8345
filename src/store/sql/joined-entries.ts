import type { StoredEntry } from '../../ports/store.ts'

/** No text of JSON has this character as it is, so it tells where one ends. */
const SEPARATOR = '\u001e'

/** Bodies that are longer are not joined, so that a piece stays far from what a text can hold. */
export const LONGEST_JOINED = 65_536

/**
 * What SQL joins entries by, in their order: handing over each by itself costs more than finding it. A body that is too long leaves a separator
 * instead, so that the parts are more than the entries.
 */
export const JOINED_CODE = SEPARATOR.charCodeAt(0)

/**
 * Takes the joined entries after one number and up to another apart. `undefined`: one is too long, or has a separator of its own, since a store
 * takes any text; or some are gone, if somebody changed the tables. Then they are to be read one by one.
 */
export function splitEntries(joined: unknown, from: number, to: number): StoredEntry[] | undefined {
  const parts = typeof joined === 'string' ? joined.split(SEPARATOR) : []
  if (parts.length !== to - from) return undefined
  return parts.map((part, index) => {
    const space = part.indexOf(' ')
    return { seq: from + 1 + index, at: Number(part.slice(0, space)), body: part.slice(space + 1) }
  })
}
