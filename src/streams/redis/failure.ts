import { StreamsFailed } from '../../protocol/errors/errors.ts'

/** Errors of Redis by their first word, and what to do about each. */
const REFUSALS: readonly (readonly [code: string, advice: string])[] = [
  ['OOM', 'Redis has no memory left: raise maxmemory or free some'],
  ['MISCONF', 'Redis refuses writes because it cannot save them: free disk space and check its log'],
  ['READONLY', 'This Redis is a read-only replica: connect to the primary'],
  ['NOREPLICAS', 'Redis refuses writes because it has too few replicas: start them, or lower min-replicas-to-write'],
  ['LOADING', 'Redis is still loading its data: try again soon'],
  ['BUSY', 'Redis is busy with a script: try again soon'],
  ['CLUSTERDOWN', 'The Redis Cluster is down: check its state'],
  ['MASTERDOWN', 'The primary of this Redis cannot be reached: check its state'],
  ['NOAUTH', 'Redis needs a password: pass it in the url or the client'],
  ['WRONGPASS', 'Redis does not know this user or password'],
  ['NOPERM', 'This Redis user may not use scripts, streams and channels: extend its ACL'],
  ['WRONGTYPE', 'Keys of the message streams hold other data: choose another keyPrefix'],
  ['CROSSSLOT', 'The client has a keyPrefix with braces: remove it'],
]

/** Converts a driver error to `StreamsFailed`, which says what to do. */
export function toStreamsFailed(error: unknown): StreamsFailed {
  if (error instanceof StreamsFailed) return error
  const message = error instanceof Error ? error.message : String(error)
  // Redis 6 wraps an error inside a script in other text.
  const known = REFUSALS.find(([code]) => message.startsWith(code) || message.includes(` -${code} `))
  if (known) return new StreamsFailed(known[1], error)
  const said = error instanceof Error && error.name === 'ReplyError'
  return new StreamsFailed(said ? 'Redis refused' : 'Redis cannot be reached', error)
}
