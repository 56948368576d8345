// @ts-check
import { join } from 'node:path'
import { loadGateway } from '../lib/subject/dist.js'
import { createHoldpoint, openStore } from '../peers/holdpoint.js'

const { createGateway, serve } = await loadGateway()

const ANN = { sub: 'ann', tenant: 'default', roles: ['reviewer'], groups: [] }

/** One screen about a paused thread, asked for over HTTP by a reviewer. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ dir, turns, what }) {
  const peer = createHoldpoint()
  const store = openStore(join(dir, `screen-${turns}-${what}.db`))
  await peer.pause(turns, { store, threadId: 'paused' })
  const [request] = (await peer.list(store)).requests
  const auth = { authenticate: async () => ({ ok: /** @type {const} */ (true), caller: ANN }) }
  const server = await serve(createGateway({ store, auth }))
  const path = { request: `/v1/requests/${request?.id}`, thread: '/v1/threads/paused' }
  const url = `http://127.0.0.1:${server.port}${path[/** @type {keyof typeof path} */ (what)]}`
  return {
    async run() {
      const response = await fetch(url, { headers: { authorization: 'Bearer ann' } })
      const { story } = await response.json()
      if (!(story?.length > 0)) throw new Error(`holdpoint: a story was expected from ${url}`)
    },
    async close() {
      await server.close()
      await store.close()
    },
  }
}
