import { humanInTheLoop } from 'holdpoint'
import { createGate } from 'holdpoint/gate'
import { createMcpProxy, pinnedDefinitions } from 'holdpoint/mcp'
import { withCrashPoints } from 'holdpoint/testing'
import { storeAt } from '../support/stores/stored-at.js'

/**
 * A proxy in a process of its own, on stdio. It is killed at the crash point `killAt`, counted from its start.
 *
 * @typedef {object} Work
 * @property {string} path the store's address
 * @property {Record<string, import('holdpoint/mcp').McpProxyServer>} servers
 * @property {string} pins
 * @property {number} [killAt]
 */

const { path, servers, pins, killAt = 0 } = /** @type {Work} */ (JSON.parse(process.argv[2] ?? ''))
let reached = 0
const store = withCrashPoints(storeAt(path, { durability: 'process' }), () => {
  reached += 1
  if (reached === killAt) process.kill(process.pid, 'SIGKILL')
})
const policy = [humanInTheLoop({ interruptOn: { '*': true } }), pinnedDefinitions()]
const proxy = createMcpProxy({ gate: createGate({ store, policy, source: 'mcp' }), servers, pins })
await proxy.stdio({ principal: 'tester' })
await proxy.close()
await store.close()
