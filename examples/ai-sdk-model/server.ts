// Stands in for a provider, so that the example needs no network and no key. It speaks OpenAI's streamed chat completions.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Asked {
  messages: { role: string; content: string }[]
}

/** Starts a server whose model calls refund, then reports the result. While `down` is set, every request fails. */
export async function startServer() {
  const state = { down: false, requests: 0 }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += String(piece)
    // The very first request is rate-limited.
    const isBusy = state.requests++ === 0
    if (isBusy || state.down) {
      const headers = { 'content-type': 'application/json', ...(isBusy ? { 'retry-after': '0' } : {}) }
      response.writeHead(isBusy ? 429 : 500, headers)
      response.end(JSON.stringify({ error: { message: isBusy ? 'too many requests' : 'out of order' } }))
      return
    }
    const last = (JSON.parse(text) as Asked).messages.at(-1)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const delta of last?.role === 'tool' ? words(`Good news: ${last.content}`) : refund())
      response.write(event({ choices: [{ index: 0, delta }] }))
    const finish_reason = last?.role === 'tool' ? 'stop' : 'tool_calls'
    response.write(event({ choices: [{ index: 0, delta: {}, finish_reason }] }))
    response.write(event({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 } }))
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { state, url: `http://127.0.0.1:${port}/v1`, close: () => server.close() }
}

function words(text: string): object[] {
  return text.split(/(?<= )/).map((content) => ({ content }))
}

/** A call is streamed in pieces: its name first, then its arguments. */
function refund(): object[] {
  const call = (id: string | undefined, named: object) => ({ tool_calls: [{ index: 0, id, function: named }] })
  return [
    { content: 'I will pay it back.' },
    call('call_1', { name: 'refund', arguments: '' }),
    call(undefined, { arguments: '{"cents":' }),
    call(undefined, { arguments: '1999}' }),
  ]
}

function event(chunk: object): string {
  return `data: ${JSON.stringify({ id: 'chat-1', created: 1, model: 'small', ...chunk })}\n\n`
}
