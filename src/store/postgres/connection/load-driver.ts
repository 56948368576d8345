import { peerFailure } from '../../../protocol/errors/peer-missing.ts'
import type { PgModule } from './driver.ts'

/** Loads `pg` on first use. Not needed for a pool that was passed in. */
export async function loadDriver(): Promise<PgModule> {
  try {
    const { default: pg } = (await import('pg')) as { default: unknown }
    return pg as PgModule
  } catch (error) {
    throw peerFailure('postgresStore', 'pg', error)
  }
}
