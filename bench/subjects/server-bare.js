// @ts-check
import { createServer } from 'node:http'
import { loadGateway } from '../lib/subject/dist.js'

const { jwtAuth, redisStreams } = await loadGateway()

/**
 * The least that can do the same: a handler of `node:http` with the same checks of the token and of the owner and the same calls of Redis. No limits, no
 * checks of what comes in, no headers, no log. `steps`: it looks the session up and then answers, and tells no other readers, as it and the gateway did
 * before there was a call that does all at once. Builds without that call are measured with two.
 *
 * @type {import('../lib/processes/server.js').CreateServer}
 */
export async function create({ redisUrl, secret, steps }) {
  const streams = redisStreams({ url: redisUrl })
  const auth = jwtAuth({ secret })

  /** @param {import('node:http').IncomingMessage} request @param {string} text @returns {Promise<{ status: number, body?: string }>} */
  async function answer(request, text) {
    const outcome = await auth.authenticate({ header: (name) => /** @type {string} */ (request.headers[name]) })
    if (!outcome.ok) return { status: 401 }
    const body = JSON.parse(text)
    if (request.url === '/hil/respond') {
      const { session_task_id: session, hil_msg_id: id, msg: reply } = body
      const owner = outcome.caller.sub
      const done =
        streams.answerOwn && !steps
          ? await streams.answerOwn(session, id, { reply, owner })
          : (await streams.describe(session))?.owner === owner && (await streams.answer(session, id, reply))
      return { status: done === 'answered' || done === 'unheard' ? 200 : 404 }
    }
    const after = body.redis_last_id ?? '0'
    let read = await streams.read(body.session_task_id, { after })
    if (read.kind === 'messages' && read.owner !== outcome.caller.sub) return { status: 404 }
    if (read.kind === 'empty') read = await streams.read(body.session_task_id, { after, waitMs: body.timeout * 1000 })
    if (read.kind !== 'messages') return { status: read.kind === 'empty' ? 204 : 404 }
    const first = /** @type {{ position: string, message: object }} */ (read.messages[0])
    return { status: 200, body: JSON.stringify({ redis_last_id: first.position, HIL_msg: first.message }) }
  }

  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', async () => {
      const { status, body = '' } = await answer(request, text).catch(() => ({ status: 500, body: '' }))
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      response.end(body)
    })
  })
  await new Promise((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    port,
    async close() {
      server.closeAllConnections()
      server.close()
      await streams.shutdown()
    },
  }
}
