// @ts-check
import { loadGateway } from '../lib/subject/dist.js'

const { createGateway, jwtAuth, serve, redisStreams } = await loadGateway()

/** The gateway as it comes. @type {import('../lib/processes/server.js').CreateServer} */
export async function create({ redisUrl, secret }) {
  const streams = redisStreams({ url: redisUrl })
  // One caller plays all people here.
  const writeLimit = { burst: 1_000_000, perSecond: 1_000_000 }
  const gateway = createGateway({ streams, auth: jwtAuth({ secret }), maxWaitsPerCaller: 50_000, writeLimit })
  const server = await serve(gateway)
  return {
    port: server.port,
    async close() {
      await server.close()
      await streams.shutdown()
    },
  }
}
