// A gateway of its own process: `node gateway-process.js ADDRESS [OPTIONS]`. It prints where it listens. Bearer tokens are "NAME:ROLE" or "NAME:ROLE:TENANT".
import { createGateway, serve } from 'holdpoint/gateway'
import { storeAt } from '../stores/stored-at.js'

/** The point at which the process kills itself; the parent names it. @type {string | undefined} */
let killAt
process.on('message', (/** @type {{ killAt: string }} */ message) => {
  killAt = message.killAt
  process.send?.('armed')
})

// It ends with whoever started it.
process.once('disconnect', () => process.exit())

/** @param {string} point */
function crashPoint(point) {
  if (point === killAt) process.kill(process.pid, 'SIGKILL')
}

const { storeTimeoutMs, ...options } = JSON.parse(process.argv[3] ?? '{}')
const store = storeAt(process.argv[2] ?? '', {
  durability: 'process',
  crashPoint,
  busyTimeoutMs: storeTimeoutMs,
  timeoutMs: storeTimeoutMs,
})
const gateway = createGateway({
  store,
  auth: {
    async authenticate(request) {
      const [sub, role, tenant = 'default'] = (request.header('authorization') ?? '').replace('Bearer ', '').split(':')
      if (!sub || !role) return { ok: false, detail: 'Who is it?' }
      return { ok: true, caller: { sub, tenant, roles: [role], groups: [] } }
    },
  },
  heartbeatSeconds: 0.2,
  webhooks: { allowNetworks: ['127.0.0.0/8'], timeoutSeconds: 1 },
  ...options,
})
const server = await serve(gateway)
process.stdout.write(`${server.url}\n`)
