import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { expect, onTestFinished, test } from 'vitest'
import { createGateway } from '../../src/gateway.ts'
import { diskStore } from '../support/gateway/inbox-scene.ts'
import { until } from '../support/until.ts'
import { refundOf, storedOf, wish } from './inbox/company.ts'
import { useInbox } from './inbox/scene.ts'

const inbox = useInbox()

/** A web server of somebody else that passes everything below `/people` on to the gateway. */
async function shop() {
  const store = diskStore()
  const auth = { authenticate: async () => ({ ok: false as const, detail: 'Use a link.' }) }
  const gateway = createGateway({ store, auth, inbox: true, basePath: '/people' })
  const people = getRequestListener(gateway.fetch)
  const server = createServer((request, response) =>
    /^\/people(\/|$)/.test(request.url ?? '')
      ? people(request, response)
      : response.writeHead(404, { 'content-type': 'text/plain' }).end('the shop has no such page'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    gateway.stop()
    server.closeAllConnections()
    server.close()
  })
  return { store, gateway, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a mounted inbox asks for nothing outside of its path, in any view, and decides there', async () => {
  const { store, gateway, origin } = await shop()
  const [id] = await wish(store, refundOf(1200))
  const seat = await inbox.window(`${origin}/people`)
  const person = { sub: 'ann', tenant: 'default', roles: ['reviewer', 'admin'] }
  const link = await gateway.signInLink(`${origin}/people`, person)
  await seat.page.goto(link.replace('/people/#', '/people#'))
  await seat.open('€12.00')
  await seat.approve.click()
  await until(async () => (await storedOf(store, id!)).status === 'decided')
  for (const view of ['decisions', 'grants', 'figures', 'settings']) {
    await seat.page.goto(`${origin}/people/#/${view}`)
    await seat.page.locator('main.page h1').waitFor()
    await seat.page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  }
  expect(seat.requested.filter((url) => !url.startsWith(`${origin}/people`))).toEqual([])
  expect(seat.requested).toContain(`${origin}/people/v1/session`)
  expect(await seat.context.cookies()).toMatchObject([{ path: '/people' }])
  expect(seat.complaints).toEqual([])
})
