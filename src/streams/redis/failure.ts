import { StreamsFailed } from '../../protocol/errors/errors.ts'

/** What Redis says, by the first word of it, and what to do about it. */
const REFUSALS: readonly (readonly [code: string, advice: string])[] = [
  ['OOM', 'Redis has no memory left: raise maxmemory or free some'],
  ['MISCONF', 'Redis takes no writes because it cannot save them: free disk space and look at its log'],
  ['READONLY', 'This Redis is a replica that takes no writes: connect to the primary'],
  ['NOREPLICAS', 'Redis takes no writes because it has too few replicas: start them, or lower min-replicas-to-write'],
  ['LOADING', 'Redis is still loading its data: try again soon'],
  ['BUSY', 'Redis is busy with a script: try again soon'],
  ['CLUSTERDOWN', 'The Redis Cluster is down: look at its state'],
  ['MASTERDOWN', 'The primary of this Redis cannot be reached: look at its state'],
  ['NOAUTH', 'Redis wants a password: give it with the url or the client'],
  ['WRONGPASS', 'Redis does not know this user or password'],
  ['NOPERM', 'This user of Redis may not use scripts, streams and channels: extend its access list'],
  ['WRONGTYPE', 'Keys of the message streams are used for something else: choose another keyPrefix'],
  ['CROSSSLOT', 'The client puts something in braces before keys: take its own keyPrefix away'],
]

/** Turns what a driver threw into the one error of this port, which says what to do. */
export function toStreamsFailed(error: unknown): StreamsFailed {
  if (error instanceof StreamsFailed) return error
  const message = error instanceof Error ? error.message : String(error)
  // An error within a script of Redis 6 is told with words before and after.
  const known = REFUSALS.find(([code]) => message.startsWith(code) || message.includes(` -${code} `))
  if (known) return new StreamsFailed(known[1], error)
  const said = error instanceof Error && error.name === 'ReplyError'
  return new StreamsFailed(said ? 'Redis refused' : 'Redis cannot be reached', error)
}
