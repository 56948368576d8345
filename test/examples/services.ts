import { startServer } from '../../examples/ai-sdk-model/server.ts'
import { SECRET } from '../support/gateway/served-gateway.ts'
import { freePort } from '../support/servers/free-port.ts'
import { startPostgres } from '../support/servers/postgres-server.ts'
import { startRedis } from '../support/servers/redis-server.ts'
import type { Snippet } from './snippets.ts'

/** What snippets take from the environment. */
export interface Services {
  env: Record<string, string>
  stop(): Promise<void>
}

/** Gives snippets a free port and a secret, and a real server for each address that they take from the environment. */
export async function startServices(snippets: readonly Snippet[]): Promise<Services> {
  const uses = (name: string) => snippets.some(({ code }) => code.includes(`process.env.${name}`))
  const redis = uses('REDIS_URL') ? await startRedis() : undefined
  const postgres = uses('DATABASE_URL')
    ? await startPostgres({ settings: ['fsync=on', 'full_page_writes=on'] })
    : undefined
  const model = uses('MODEL_URL') ? await startServer() : undefined
  return {
    env: {
      PORT: String(await freePort()),
      JWT_SECRET: SECRET,
      ...(redis && { REDIS_URL: redis.url }),
      ...(postgres && { DATABASE_URL: postgres.connectionString }),
      ...(model && { MODEL_URL: model.url }),
    },
    async stop() {
      model?.close()
      await redis?.remove()
      await postgres?.remove()
    },
  }
}
