import { InputInvalid } from '../../protocol/errors/errors.ts'

/** The reader who stands for requests that name no reviewers. */
export const ANYBODY = '*'

/** The names of readers as one string, for databases. {@link readerIn} is the part of it that stands for one of them. */
export function joinReaders(readers: readonly string[] | null): string {
  return readers === null ? ANYBODY : `,${readers.map((reader) => JSON.stringify(reader)).join(',')},`
}

/** See {@link joinReaders}. No other reader's name can contain it, since quotes inside of names are escaped. */
export function readerIn(reader: string): string {
  return `,${JSON.stringify(reader)},`
}

/** Several reviewer lists as JSON, for databases. */
export function joinLists(lists: readonly (readonly string[])[] | null): string | null {
  return lists && JSON.stringify(lists)
}

/** A place in a list that is ordered by changes: a time, and an id. */
export interface ChangedPlace {
  readonly at: number
  readonly id: string
}

/** The cursor of such a place. */
export function changedCursor({ at, id }: ChangedPlace): string {
  return `${at}.${id}`
}

/** See {@link changedCursor}. */
export function parseChangedCursor(cursor: string): ChangedPlace {
  const [, at, id] = /^(-?\d{1,16})\.(.+)$/s.exec(cursor) ?? []
  if (at === undefined || id === undefined) throw new InputInvalid('this is not the cursor of a list by changes')
  return { at: Number(at), id }
}

/** The lower-case words of a search. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean)
}

/** The first name, in character order, behind all that begin with this. Names of threads are ASCII. */
export function afterAll(start: string): string {
  if (start === '') throw new InputInvalid('threadsUnder must not be empty strings')
  return `${start.slice(0, -1)}${String.fromCharCode(start.charCodeAt(start.length - 1) + 1)}`
}

/** The beginning of the ids that are made at a time: UUIDv7. Smaller ids are older. */
export function idAt(time: number): string {
  const hex = Math.min(Math.max(0, Math.floor(time)), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-`
}

/** Checks the limit of a count. */
export function countLimit(limit = 1000): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw new InputInvalid(`limit must be 1 to 1000, not ${limit}`)
  }
  return limit
}

/** Who has a request: an assignment, until its time is up. */
export interface Assigned {
  readonly id: string
  readonly until: number | null
}

/** The assignment, unless its time is up. */
export function inForce(assigned: Assigned | null, now: number): Assigned | null {
  return assigned && (assigned.until === null || assigned.until > now) ? assigned : null
}
