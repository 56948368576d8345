import { erase } from 'holdpoint'
import { storeAt } from '../support/stores/stored-at.js'

/**
 * Erases a thread, and kills itself before (odd numbers) or after (even ones) one of its writes. Prints how many such points there were.
 *
 * @type {{ address: string, tenant: string, threadId: string, killAt: number }}
 */
const { address, tenant, threadId, killAt } = JSON.parse(process.argv[2] ?? '')
let reached = 0
const WRITES = new Set(['append', 'writeRecords', 'prune', 'scrub'])

function point() {
  if (++reached === killAt) process.kill(process.pid, 'SIGKILL')
}

/**
 * @param {import('holdpoint').Store} store
 * @returns {import('holdpoint').Store}
 */
function deadly(store) {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (name === 'tenant') return (/** @type {string} */ id) => deadly(target.tenant(id))
      if (!WRITES.has(String(name))) return value
      return async (/** @type {unknown[]} */ ...args) => {
        point()
        const done = await value.apply(target, args)
        point()
        return done
      }
    },
  })
}

const store = storeAt(address)
await erase(deadly(store).tenant(tenant), { threadId, by: 'dora', reason: 'the customer asked for it' })
await store.close()
process.stdout.write(`${reached}\n`)
