import { createRequire } from 'node:module'
import { peerFailure } from '../../protocol/errors/peer-missing.ts'
import type { Config } from '../config/settings.ts'
import { isPostgres } from '../store/store-place.ts'
import { checked, type Finding } from './finding.ts'

/**
 * Whether packages are installed that processes need beside those that the other checks load themselves. Without one a process ends as soon as it is
 * started, however well its servers answer. What is there is not worth a line.
 */
export async function checkPackages({ queue, streams, jwtSecret, jwksUrl }: Config): Promise<readonly Finding[]> {
  const needed: [what: string, who: string, name: string][] = []
  if (queue !== undefined && isPostgres(queue)) needed.push(['queue', 'a queue in Postgres', 'graphile-worker'])
  else if (queue !== undefined) needed.push(['queue', 'a queue in Redis', 'bullmq'])
  if (jwtSecret !== undefined || jwksUrl !== undefined) needed.push(['sign-in', 'sign-in by tokens', 'jose'])
  if (streams !== undefined) needed.push(['streams', 'serving message streams', 'ws'])
  const found = await Promise.all(
    needed.map(([what, who, name]) => checked(what, 'Install it again.', async () => installed(who, name))),
  )
  return found.flat()
}

function installed(who: string, name: string): readonly Finding[] {
  try {
    createRequire(import.meta.url).resolve(name)
    return []
  } catch (error) {
    throw peerFailure(who, name, error)
  }
}
