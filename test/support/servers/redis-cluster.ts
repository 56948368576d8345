import { Redis } from 'ioredis'
import { until } from '../until.ts'
import { freePort } from './free-port.ts'
import { type RedisServer, type RedisServerOptions, startRedis } from './redis-server.ts'

/** A real Redis Cluster of a test's own: three nodes without replicas. */
export interface RedisCluster {
  readonly nodes: readonly RedisServer[]
  /** As `bullmqQueue` and `redisStreams` take it. */
  readonly url: string
  /** The node that has the slot of a key. */
  nodeOf(key: string): Promise<RedisServer>
  /** Whether all nodes say that all slots are served. */
  isOk(): Promise<boolean>
  remove(): Promise<void>
}

/** How a Cluster is run. */
export interface RedisClusterOptions extends Pick<RedisServerOptions, 'durable'> {
  password?: string
  /** How long a node may be silent before it counts as down. Long by default: a busy machine is silent for seconds. */
  nodeTimeoutMs?: number
}

const SLOTS = 16_384
const NODES = 3

/** Starts the nodes, divides the slots among them, and waits until all know each other. */
export async function startRedisCluster(options: RedisClusterOptions = {}): Promise<RedisCluster> {
  const { nodeTimeoutMs = 30_000, durable = false, password = '' } = options
  const settings = [
    ...['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
    ...['--cluster-node-timeout', `${nodeTimeoutMs}`, '--requirepass', password],
  ]
  const start = async () => startRedis({ durable, settings, port: await busPort() })
  const nodes = await Promise.all(Array.from({ length: NODES }, start))
  const url = `redis+cluster://${password && `:${password}@`}${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`

  async function call(node: RedisServer, ...words: (string | number)[]): Promise<unknown> {
    const client = new Redis(node.url, { retryStrategy: () => null, ...(password ? { password } : {}) })
    client.on('error', () => undefined)
    try {
      return await client.call('CLUSTER', ...words)
    } finally {
      client.disconnect()
    }
  }

  async function isOk(): Promise<boolean> {
    const told = await Promise.all(nodes.map((node) => call(node, 'INFO').catch(() => '')))
    return told.every((info) => /cluster_state:ok.*cluster_known_nodes:3/s.test(String(info)))
  }

  for (const [index, node] of nodes.entries()) {
    const slots = Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => partOf(slot) === index)
    await call(node, 'SET-CONFIG-EPOCH', index + 1)
    await call(node, 'ADDSLOTS', ...slots)
    if (index > 0) await call(node, 'MEET', '127.0.0.1', nodes[0]!.port)
  }
  await until(isOk)
  return {
    nodes,
    url,
    isOk,
    nodeOf: async (key) => nodes[partOf(Number(await call(nodes[0]!, 'KEYSLOT', key)))]!,
    remove: async () => void (await Promise.all(nodes.map((node) => node.remove()))),
  }
}

function partOf(slot: number): number {
  return Math.floor((slot * NODES) / SLOTS)
}

/** Nodes talk to each other on a port that is higher by 10000. */
async function busPort(): Promise<number> {
  for (;;) {
    const port = await freePort()
    if (port < 55_000) return port
  }
}
