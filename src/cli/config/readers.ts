import { parseAge } from '../../protocol/checks/durations.ts'

/** Says what a value must be. The caller adds where the value came from. */
export class BadValue extends Error {}

/** Reads a value of a flag, a variable (both strings) or a file (any JSON). Throws {@link BadValue}. */
export type Reader<T> = (given: unknown) => T

/** A string that is not empty. */
export const string: Reader<string> = (given) => {
  if (typeof given === 'string' && given !== '') return given
  throw new BadValue('must be a string that is not empty')
}

/** A string of a certain length at least, for secrets. */
export function longString(least: number): Reader<string> {
  return (given) => {
    if (typeof given === 'string' && given.length >= least) return given
    throw new BadValue(`must be a string of ${least} characters or more`)
  }
}

/** An integer within limits. */
export function integer(least: number, most: number): Reader<number> {
  return (given) => {
    const value = typeof given === 'string' && /^-?\d{1,15}$/.test(given) ? Number(given) : given
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
    throw new BadValue(`must be an integer from ${least} to ${most}`)
  }
}

/** One of some words. */
export function choice<const T extends string>(...words: readonly T[]): Reader<T> {
  return (given) => {
    const found = words.find((word) => word === given)
    if (found !== undefined) return found
    throw new BadValue(`must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`)
  }
}

/** Strings, in a variable separated by commas. */
const strings: Reader<readonly string[]> = (given) => {
  const list = typeof given === 'string' ? given.split(',').map((part) => part.trim()) : given
  if (Array.isArray(list) && list.length > 0 && list.every((part) => typeof part === 'string' && part !== ''))
    return list
  throw new BadValue('must be a list of strings, in a variable separated by commas')
}

/** Addresses of a site, without a path. */
export const origins: Reader<readonly string[]> = (given) => {
  const list = strings(given)
  for (const each of list) {
    const url = URL.canParse(each) ? new URL(each) : undefined
    if (!url || !/^https?:$/.test(url.protocol) || (each !== url.origin && each !== `${url.origin}/`))
      throw new BadValue('must be origins such as https://inbox.example.com, without a path')
  }
  return list
}

/** An address with one of these schemes, such as `redis`. */
export function address(...schemes: readonly string[]): Reader<string> {
  return (given) => {
    const scheme = typeof given === 'string' ? /^([a-z][a-z\d+.-]*):\/\/./i.exec(given)?.[1] : undefined
    if (scheme !== undefined && schemes.includes(scheme.toLowerCase())) return given as string
    throw new BadValue(`must be an address that begins with ${schemes.map((name) => `${name}://`).join(' or ')}`)
  }
}

/** How long threads are kept: an age such as `90d`, in a file also `{ "olderThan": "90d" }`. */
export const retention: Reader<{ olderThan: string }> = (given) => {
  const { olderThan, ...more } = (typeof given === 'string' ? { olderThan: given } : Object(given)) as Record<
    string,
    unknown
  >
  if (typeof olderThan === 'string' && parseAge(olderThan) !== undefined && Object.keys(more).length === 0)
    return { olderThan }
  throw new BadValue('must be an age such as 90d, 12h or 2w')
}
