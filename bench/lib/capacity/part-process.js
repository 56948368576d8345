// @ts-check
// One part of the installation in a process of its own: the gateway, a worker, or the agents that open requests.
import { createOrders } from '../../peers/holdpoint.js'
import { collectedMemory } from '../processes/collected-memory.js'
import { signIn } from '../processes/sign-in.js'
import { loadGateway, loadHoldpoint, loadWorker } from '../subject/dist.js'
import { DONE, INPUT, refund } from '../subject/scenario.js'

/**
 * @typedef {{ url: string, schema: string, people: number }} PartSpec
 * @typedef {import('../../../dist/index.js').Store} Store
 */

const [, , role = '', text = ''] = process.argv
/** @type {PartSpec} */
const spec = JSON.parse(text)
const { postgresStore, run } = await loadHoldpoint()
const store = postgresStore({ connectionString: spec.url, schema: spec.schema, onWarning() {} })
const ROLES = { gateway, worker, agents }
const start = ROLES[/** @type {keyof typeof ROLES} */ (role)]
const { ready, open } = await start()

process.on('disconnect', () => process.exit())
process.on(
  'message',
  async (/** @type {{ what: 'cpu' | 'memory' | 'open', threadId: string }} */ { what, threadId }) => {
    switch (what) {
      case 'cpu': {
        const { user, system } = process.cpuUsage()
        return process.send?.({ name: what, value: (user + system) / 1000 })
      }
      case 'memory':
        return process.send?.({ name: what, value: await collectedMemory() })
      case 'open':
        await open(threadId)
        return process.send?.({ name: `opened ${threadId}` })
      default:
        throw new Error(`a part was asked for ${what}`)
    }
  },
)
process.send?.({ name: 'ready', value: ready })

async function gateway() {
  const { createGateway, serve } = await loadGateway()
  const auth = { authenticate: async () => /** @type {const} */ ({ ok: false, detail: 'Sign in.' }) }
  const server = await serve(createGateway({ store, auth, webhooks: false, undoSeconds: 0 }))
  const cookies = []
  for (let n = 0; n < spec.people; n++) {
    cookies.push(`holdpoint_${server.port}=${await signIn(store, `person-${n}`)}`)
  }
  return { ready: { port: server.port, cookies }, open: refuse }
}

async function worker() {
  const { createWorker, postgresQueue } = await loadWorker()
  const { url, schema } = spec
  const places = { connectionString: url, listenConnectionString: url, schema: `${schema}_queue`, storeSchema: schema }
  await store.read('none')
  const made = createWorker({
    agents: [createOrders(() => DONE)],
    store,
    queue: postgresQueue(places),
    onEvent(event) {
      const at = `${process.hrtime.bigint()}`
      if (event.type === 'driven' && event.outcome === 'over')
        process.send?.({ name: `over ${event.threadId}`, value: at })
      if (event.type === 'failed' || event.type === 'dead' || event.type === 'error') console.error(event)
    },
  })
  await made.start()
  return { ready: null, open: refuse }
}

async function agents() {
  const agent = createOrders(() => refund(0))
  return { ready: null, open: (/** @type {string} */ threadId) => run(agent, INPUT, { threadId, store }) }
}

/** @returns {Promise<never>} */
async function refuse() {
  throw new Error(`${role} opens no requests`)
}
