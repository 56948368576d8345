import { createRequire } from 'node:module'
import type { Cluster, Redis, RedisOptions } from 'ioredis'
import { StreamsClosed, StreamsFailed } from '../../protocol/errors/errors.ts'
import { peerFailure } from '../../protocol/errors/peer-missing.ts'
import { toStreamsFailed } from './failure.ts'
import type { Script } from './scripts.ts'

/** The one connection on which a process works (of a Cluster: one for each node). */
export interface Connection {
  /** Has a script done. Fails with `StreamsFailed` when that took too long. */
  run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<readonly unknown[]>
  ping(): Promise<void>
  /**
   * How often who waits looks although nothing was told: a net, which costs as much as all other work if it is narrow and ten thousand wait.
   * One server tells everybody whose connection lives, and dead ones are found by other means; nodes of a Cluster may lose what they tell each other.
   */
  readonly netMs: number
  /** Whether it is told how many hear what is published: nodes of a Cluster know only of those connected to them. */
  readonly counts: boolean
  /** A client of its own for listening, not connected yet; `undefined` if there is no node to connect to. */
  listener(): Redis | undefined
  close(): Promise<void>
}

/** What a connection is made of. */
export type ConnectionOptions = ({ url: string } | { client: Redis | Cluster }) & { timeoutMs: number }

/** Commands that were cut off are sent again when the connection is back, which scripts allow; they give up after some seconds. */
const OWN = {
  lazyConnect: true,
  connectTimeout: 3000,
  maxRetriesPerRequest: 3,
  retryStrategy: (times: number) => Math.min(100 * 2 ** (times - 1), 1000),
  // After a failover the old primary keeps its connections and refuses writes.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions

/** It breaks once and is then made anew. */
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

/** Loads ioredis: when streams are made from an address, never for a client that was brought. Not import(): they are made synchronously. */
function loadRedis(): typeof Redis {
  try {
    return (createRequire(import.meta.url)('ioredis') as typeof import('ioredis')).Redis
  } catch (error) {
    throw peerFailure('redisStreams', 'ioredis', error)
  }
}

/** Connects when something is first to be done. A client that was brought is used as it is and never closed. */
export function connect(options: ConnectionOptions): Connection {
  const own = 'url' in options ? new (loadRedis())(options.url, OWN) : undefined
  const client: Redis | Cluster = own ?? (options as { client: Redis | Cluster }).client
  const isCluster = client.isCluster
  own?.on('error', () => undefined)
  let closed = false

  /** Settles in time, whatever the client does. */
  function inTime<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`no answer within ${options.timeoutMs} ms`))
      // A busy process may have the answer and not have looked at it yet.
      const timer = setTimeout(() => setImmediate(late), options.timeoutMs)
      work.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }

  async function attempt<T>(work: () => Promise<T>): Promise<T> {
    if (closed) throw new StreamsClosed()
    try {
      return await inTime(work())
    } catch (error) {
      throw closed ? new StreamsClosed() : toStreamsFailed(error)
    }
  }

  return {
    netMs: isCluster ? 20_000 : 120_000,
    counts: !isCluster,
    run: ({ lua, sha }, keys, args) =>
      attempt(async () => {
        const given = [...keys, ...args]
        const done = await client.evalsha(sha, keys.length, ...given).catch((error: Error) => {
          // A server that was started anew does not know its scripts any more.
          if (!error.message.startsWith('NOSCRIPT')) throw error
          return client.eval(lua, keys.length, ...given)
        })
        if (!Array.isArray(done)) throw new StreamsFailed('Redis answered something else than was asked', done)
        return done as readonly unknown[]
      }),
    async ping() {
      await attempt(() => client.ping())
    },
    listener() {
      if (!isCluster) return (client as Redis).duplicate(LISTENING)
      // What is published on one node is told on all, so any will do.
      const nodes = (client as Cluster).nodes('master')
      return nodes[Math.floor(Math.random() * nodes.length)]?.duplicate({ ...LISTENING, readOnly: false })
    },
    async close() {
      closed = true
      if (own?.status === 'ready') await inTime(own.quit()).catch(() => undefined)
      own?.disconnect()
    },
  }
}
