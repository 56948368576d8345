// A gateway of its own process: `node gateway-process.js ADDRESS`. It prints where it listens. Bearer tokens are "NAME:ROLE".
import { createGateway, serve } from 'holdpoint/gateway'
import { storeAt } from '../stores/stored-at.js'

const store = storeAt(process.argv[2] ?? '', { durability: 'process' })
const gateway = createGateway({
  store,
  auth: {
    async authenticate(request) {
      const [sub, role] = (request.header('authorization') ?? '').replace('Bearer ', '').split(':')
      if (!sub || !role) return { ok: false, detail: 'Who is it?' }
      return { ok: true, caller: { sub, tenant: 'default', roles: [role], groups: [] } }
    },
  },
  heartbeatSeconds: 0.2,
  webhooks: { allowNetworks: ['127.0.0.0/8'], timeoutSeconds: 1 },
})
const server = await serve(gateway)
process.stdout.write(`${server.url}\n`)
