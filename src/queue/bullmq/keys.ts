import { InputInvalid } from '../../protocol/errors/errors.ts'
import { routeName } from '../shared/names.ts'

/** What the keys of BullMQ queues begin with. */
export interface Keys {
  readonly prefix: string
  /** The name of the BullMQ queue of a route. */
  nameOf(route: string): string
}

const EMPTY_OR_OPEN = /^[^{]*\{(\}|[^}]*$)/

/**
 * The scripts of BullMQ use all keys of a queue at once. A Cluster allows that only if they are in one slot, which the first part in braces
 * determines: of the prefix, or else of the name. Names of routes have no braces of their own.
 */
export function createKeys(given: string | undefined, { isCluster }: { isCluster: boolean }): Keys {
  const prefix = given ?? (isCluster ? 'holdpoint' : '{holdpoint}')
  if (!isCluster) return { prefix, nameOf: routeName }
  if (!prefix.includes('{')) return { prefix, nameOf: (route) => `{${routeName(route)}}` }
  if (EMPTY_OR_OPEN.test(prefix))
    throw new InputInvalid('prefix must have text in its braces, and both of them: they decide on the slot of a key.')
  return { prefix, nameOf: routeName }
}
