import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../src/ports/store.ts'
import { postgresStore } from '../../src/store/postgres/store.ts'
import { type PostgresServer, startPostgres } from '../support/servers/postgres-server.ts'
import { type RedisServer, startRedis } from '../support/servers/redis-server.ts'
import { startProxy, type TcpProxy } from '../support/servers/tcp-proxy.ts'
import { openEffects } from './effects.js'
import { FIRST_VERSIONS, GATEWAYS, type Plan, type ProcessName, WORKERS } from './plan.ts'
import { makeUnit, type Unit } from './process.ts'
import type { Work } from './worker-process.js'

/** A process and the connections that are its own. */
export interface Member {
  readonly unit: Unit
  /** Between it and Postgres. */
  readonly postgres: TcpProxy
  /** Between it and Redis. */
  readonly redis: TcpProxy
  /** The versions of the agent that it has when it is started again, if it is a worker. */
  versions: readonly string[]
}

/** Servers, processes, and the tools' own log. */
export interface Place {
  /** The store, on a connection that no proxy stands in. */
  readonly store: Store
  readonly postgres: PostgresServer
  readonly redis: RedisServer
  readonly members: ReadonlyMap<ProcessName, Member>
  readonly effects: ReturnType<typeof openEffects>
  close(): Promise<void>
}

/** How long a lease lasts here. */
const LEASE_MS = 2000
const SCHEMA = 'holdpoint'

/** Starts everything. */
export async function openPlace(queue: Plan['queue']): Promise<Place> {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-chaos-'))
  const path = join(dir, 'effects.db')
  const effects = openEffects(path)
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  const { connectionString } = postgres
  const store = postgresStore({ connectionString, schema: SCHEMA, onWarning: () => undefined, timeoutMs: 3000 })
  // The schema is there before anything goes wrong.
  await store.read('none')
  const members = new Map<ProcessName, Member>()
  for (const name of [...WORKERS, ...GATEWAYS]) {
    const own = { postgres: await startProxy(postgres.port), redis: await startProxy(redis.port) }
    const at = connectionString.replace(`:${postgres.port}/`, `:${own.postgres.port}/`)
    const work: Omit<Work, 'versions'> = {
      name,
      store: `${at}#${SCHEMA}`,
      queue:
        queue === 'bullmq'
          ? { kind: 'bullmq', url: `redis://127.0.0.1:${own.redis.port}` }
          : { kind: 'postgres', connectionString: at },
      effects: path,
      leaseMs: LEASE_MS,
    }
    const unit = name.startsWith('worker')
      ? makeUnit('chaos/worker-process.js', () => [JSON.stringify({ ...work, versions: member.versions })])
      : makeUnit('support/gateway/gateway-process.js', () => [work.store, JSON.stringify({ storeTimeoutMs: 3000 })])
    const member: Member = { unit, ...own, versions: FIRST_VERSIONS }
    members.set(name, member)
  }
  await Promise.all([...members.values()].map(({ unit }) => unit.start()))
  return {
    ...{ store, postgres, redis, members, effects },
    async close() {
      await Promise.all([...members.values()].map(({ unit }) => unit.kill()))
      await store.close()
      await Promise.all([...members.values()].flatMap((member) => [member.postgres.close(), member.redis.close()]))
      await Promise.all([postgres.remove(), redis.remove()])
      effects.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
