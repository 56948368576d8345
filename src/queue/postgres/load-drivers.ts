import { createRequire } from 'node:module'
import type * as Graphile from 'graphile-worker'
import type pg from 'pg'
import { peerFailure } from '../../protocol/errors/peer-missing.ts'

/** The packages of this queue. */
export interface Drivers {
  readonly graphile: typeof Graphile
  readonly pg: typeof pg
}

/** Not with `import()`, because queues are made synchronously. */
export function loadDrivers(): Drivers {
  const require = createRequire(import.meta.url)
  try {
    return { graphile: require('graphile-worker'), pg: require('pg') }
  } catch (error) {
    throw peerFailure('postgresQueue', 'graphile-worker pg', error)
  }
}
