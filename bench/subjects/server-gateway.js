// @ts-check
import { loadGateway } from '../lib/dist.js'

const { createGateway, jwtAuth, serve, redisStreams } = await loadGateway()

/** The gateway as it comes. @type {import('../lib/server.js').CreateServer} */
export async function create({ redisUrl, secret }) {
  const streams = redisStreams({ url: redisUrl })
  const gateway = createGateway({ streams, auth: jwtAuth({ secret }), maxWaitsPerCaller: 50_000 })
  const server = await serve(gateway)
  return {
    port: server.port,
    async close() {
      await server.close()
      await streams.shutdown()
    },
  }
}
