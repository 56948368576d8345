import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { build, type Rolldown } from 'vite'
import { expect, it, onTestFinished } from 'vitest'
import { ROOT } from '../../scripts/lib/root.js'
import { createGateway, jwtAuth } from '../../src/gateway.ts'
import { interrupt, memoryStreams } from '../../src/index.ts'
import { SECRET, tokenOf } from '../support/gateway/served-gateway.ts'
import { startChromium } from './chromium.ts'

const content = {
  source: 'agent_tool_call' as const,
  body: { tool_name: 'pick', type: 'ChoiceForm', tool_exec_uuid: 'x', detail: {} },
}

const PAGE = `<!doctype html><title>test</title>
<script type="module">import { createClient } from '/client.js'; globalThis.createClient = createClient</script>`

async function clientCode(): Promise<string> {
  const input = join(ROOT, 'src/client.ts')
  const rolldownOptions = { input, preserveEntrySignatures: 'strict' as const }
  const built = (await build({
    configFile: false,
    logLevel: 'silent',
    root: ROOT,
    build: { write: false, minify: false, modulePreload: false, rolldownOptions },
  })) as Rolldown.RolldownOutput
  return (built.output[0] as Rolldown.OutputChunk).code
}

it('seven sessions in one browser over HTTP/1.1 do not block each other, nor the answers', async () => {
  const streams = memoryStreams()
  const gateway = createGateway({
    streams,
    auth: jwtAuth({ secret: SECRET, issuer: 'tests', audience: 'gateway' }),
  })
  const code = await clientCode()
  const listener = getRequestListener(gateway.fetch)
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/hil/')) return void listener(request, response)
    const isCode = request.url === '/client.js'
    response.writeHead(200, { 'content-type': isCode ? 'text/javascript' : 'text/html' })
    response.end(isCode ? code : PAGE)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const browser = await startChromium()
  onTestFinished(async () => {
    await browser.close()
    gateway.stop()
    server.closeAllConnections()
    server.close()
    await streams.shutdown()
  })
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.waitForFunction('globalThis.createClient !== undefined')
  const token = await tokenOf('ann')
  // biome-ignore lint/suspicious/noExplicitAny: what runs in the page is known to the page
  type Loose = any
  for (const way of ['sessions', 'inbox'] as const) {
    const ids = Array.from({ length: 7 }, () => randomUUID())
    await Promise.all(ids.map((id) => streams.open(id, { owner: 'ann', expireSeconds: 60 })))
    const replies = ids.map((id) => interrupt(content, { stream: id, streams, timeoutSeconds: 30 }))
    const began = performance.now()
    const outcomes = await page.evaluate(
      async (given) => {
        const { createClient } = globalThis as unknown as { createClient(options: object): Loose }
        const client = createClient({ url: '', token: given.token })
        const inbox = given.way === 'inbox' ? client.inbox() : undefined
        const sessions = inbox ? [] : given.ids.map((id: string) => client.session(id))
        const open = () => inbox?.pending ?? sessions.flatMap((each: { pending: object[] }) => each.pending)
        while (open().length < 7) await new Promise((resolve) => setTimeout(resolve, 20))
        const answers = inbox
          ? inbox.pending.map((each: object) => inbox.respond(each, 'b'))
          : sessions.map((each: { pending: { id: string }[]; respond(id: string, reply: string): unknown }) =>
              each.respond(each.pending[0]!.id, 'b'),
            )
        const outcomes = await Promise.all(answers)
        for (const each of inbox ? [inbox] : sessions) each.close()
        return outcomes
      },
      { token, ids, way },
    )
    expect(outcomes).toEqual(Array(7).fill('answered'))
    expect(await Promise.all(replies)).toEqual(Array(7).fill('b'))
    expect(performance.now() - began).toBeLessThan(25_000)
  }
})
