import { createRequire } from 'node:module'
import type { Cluster, Redis, RedisOptions } from 'ioredis'
import { inTime } from '../../ports/in-time.ts'
import { parseClusterAddress } from '../../protocol/checks/cluster-address.ts'
import { checkRedisAddress } from '../../protocol/checks/server-address.ts'
import { StreamsClosed, StreamsFailed } from '../../protocol/errors/errors.ts'
import { peerFailure } from '../../protocol/errors/peer-missing.ts'
import { toStreamsFailed } from './failure.ts'
import { gatherWrites } from './gather-writes.ts'
import type { Script } from './script.ts'

/** The connection on which a process runs scripts (with a Cluster: one per node). */
export interface Connection {
  /** Runs a script. Fails with `StreamsFailed` on timeout. */
  run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<readonly unknown[]>
  ping(): Promise<void>
  /**
   * How often waiters poll in case an announcement was lost. With ten thousand waiters, frequent polls would cost as much as all other work.
   * A single server reaches every live connection, and dead ones are detected separately. Nodes of a Cluster may lose announcements to each other.
   */
  readonly netMs: number
  /** Whether `PUBLISH` returns all receivers. Nodes of a Cluster count only those connected to them. */
  readonly counts: boolean
  /** A new client for subscriptions, not connected yet; `undefined` if there is no node to connect to. */
  listener(): Redis | undefined
  close(): Promise<void>
}

/** Options of a connection. */
export type ConnectionOptions = ({ url: string } | { client: Redis | Cluster }) & { timeoutMs: number }

/** Interrupted commands are sent again after a reconnect, which is safe because scripts are idempotent. They give up after some seconds. */
const OWN = {
  lazyConnect: true,
  connectTimeout: 3000,
  maxRetriesPerRequest: 3,
  retryStrategy: (times: number) => Math.min(100 * 2 ** (times - 1), 1000),
  // After a failover the old primary keeps its connections and refuses writes.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions

/** Does not reconnect: a broken listener is replaced by a new one. */
const LISTENING = {
  lazyConnect: true,
  connectTimeout: 3000,
  retryStrategy: () => null,
  reconnectOnError: null,
  maxRetriesPerRequest: null,
  autoResubscribe: false,
  enableOfflineQueue: false,
  commandTimeout: undefined,
  socketTimeout: undefined,
  keyPrefix: '',
} satisfies RedisOptions

/** Loads ioredis, only if streams are made from a url. Not with `import()`, because streams are made synchronously. */
function load(): typeof import('ioredis') {
  try {
    return createRequire(import.meta.url)('ioredis')
  } catch (error) {
    throw peerFailure('redisStreams', 'ioredis', error)
  }
}

function connectTo(url: string): Redis | Cluster {
  const ioredis = load()
  checkRedisAddress('url', url)
  const cluster = parseClusterAddress(url)
  if (!cluster) return new ioredis.Redis(url, OWN)
  const { connectTimeout, maxRetriesPerRequest, retryStrategy } = OWN
  return new ioredis.Cluster(cluster.nodes, {
    ...cluster.dns,
    lazyConnect: true,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshTimeout: connectTimeout,
    redisOptions: { connectTimeout, maxRetriesPerRequest, ...cluster.login },
  })
}

/** Connects on first use. A client that was passed in is used as it is and never closed. */
export function connect(options: ConnectionOptions): Connection {
  const own = 'url' in options ? connectTo(options.url) : undefined
  const client: Redis | Cluster = own ?? (options as { client: Redis | Cluster }).client
  const isCluster = client.isCluster
  const gather = gatherWrites(client)
  own?.on('error', () => undefined)
  let closed = false

  const late = () => new Error(`no answer within ${options.timeoutMs} ms`)
  /** Rejects after the timeout, whatever the client does. */
  const answered = <T>(work: Promise<T>) => inTime(work, options.timeoutMs, late)

  async function attempt<T>(work: () => Promise<T>): Promise<T> {
    if (closed) throw new StreamsClosed()
    try {
      return await answered(work())
    } catch (error) {
      throw closed ? new StreamsClosed() : toStreamsFailed(error)
    }
  }

  return {
    netMs: isCluster ? 20_000 : 120_000,
    counts: !isCluster,
    run: ({ lua, sha }, keys, args) =>
      attempt(async () => {
        gather()
        const given = [...keys, ...args]
        const done = await client.evalsha(sha, keys.length, ...given).catch((error: Error) => {
          // A restarted server has lost its script cache.
          if (!error.message.startsWith('NOSCRIPT')) throw error
          return client.eval(lua, keys.length, ...given)
        })
        if (!Array.isArray(done)) throw new StreamsFailed('Redis returned an unexpected answer', done)
        return done as readonly unknown[]
      }),
    ping: () => attempt(() => ping(client)),
    listener() {
      if (!isCluster) return (client as Redis).duplicate(LISTENING)
      // A message published on one node reaches all, so any node will do.
      const nodes = (client as Cluster).nodes('master')
      return nodes[Math.floor(Math.random() * nodes.length)]?.duplicate({ ...LISTENING, readOnly: false })
    },
    async close() {
      closed = true
      if (own?.status === 'ready') await answered(own.quit()).catch(() => undefined)
      own?.disconnect()
    },
  }
}

/** A node of a Cluster answers a ping also while the Cluster refuses everything else. */
async function ping(client: Redis | Cluster): Promise<void> {
  if (!client.isCluster) return void (await client.ping())
  const state = /^cluster_state:(\w+)/m.exec(String(await client.cluster('INFO')))?.[1]
  if (state !== 'ok') throw new Error(`CLUSTERDOWN The Cluster says ${state}`)
}
