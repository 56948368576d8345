import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Click = (body: string, headers: { timestamp: string; signature: string }) => Promise<void>

/** Stands in for Slack on this machine: shows what is posted, and lets Ann click the first button. */
export async function slackStandIn(signingSecret: string, click: Click) {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const { text, blocks } = JSON.parse(body)
    console.log(`#approvals: ${text}`)
    response.end(JSON.stringify({ ok: true }))
    const payload = { type: 'block_actions', user: { id: 'U-ann' }, actions: [blocks[1].elements[0]] }
    const clicked = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
    const timestamp = String(Math.floor(Date.now() / 1000))
    const sign = (secret: string) =>
      `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${clicked}`).digest('hex')}`
    await click(clicked, { timestamp, signature: sign('guessed') }).catch((error) =>
      console.log(`forged: ${error.message}`),
    )
    await click(clicked, { timestamp, signature: sign(signingSecret) })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}
