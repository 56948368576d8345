import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'

/** What a chat completion says. */
interface Says {
  text?: string
  reasoning?: string
  calls?: { id: string; name: string; arguments: string }[]
  finish?: string
}

/** What the server does with a request: answers, refuses, sends half an answer and leaves the rest to the test, or says nothing. */
export type Reply =
  | { says: Says }
  | { status: number; headers?: Record<string, string>; error?: string }
  | { half: string }
  | { inStream: object }
  | 'silence'

/** A request as it came. */
interface Seen {
  body: { stream?: boolean; messages: { role: string; [key: string]: unknown }[]; [key: string]: unknown }
  headers: IncomingMessage['headers']
  response: ServerResponse
  /** Whether the client went away before the end. */
  left: boolean
}

/** A server that speaks OpenAI's chat completions, whole and as server-sent events, and plays a script. */
export async function openAiServer(...script: Reply[]) {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await bodyOf(request)) as Seen['body']
    const entry: Seen = { body, headers: request.headers, response, left: false }
    response.on('close', () => {
      entry.left = !response.writableFinished
    })
    seen.push(entry)
    play(script[seen.length - 1] ?? { status: 418, error: 'asked too often' }, body.stream === true, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const provider = createOpenAICompatible({ name: 'local', baseURL, apiKey: 'key-1', includeUsage: true })
  return {
    seen,
    baseURL,
    model: provider('tiny'),
    /** Adds to the script. */
    add(...more: Reply[]): void {
      script.push(...more)
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function play(reply: Reply, stream: boolean, response: ServerResponse): void {
  if (reply === 'silence') return
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
    response.end(JSON.stringify({ error: { message: reply.error ?? 'no', type: 'x', code: null } }))
    return
  }
  if ('says' in reply && !stream) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(whole(reply.says)))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (data: object | string) =>
    response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
  if ('inStream' in reply) {
    send(reply.inStream)
    response.end()
  } else if ('half' in reply) {
    send(chunk({ content: reply.half }))
  } else {
    for (const each of chunksOf(reply.says)) send(each)
    send('[DONE]')
    response.end()
  }
}

const usage = {
  prompt_tokens: 12,
  completion_tokens: 5,
  total_tokens: 17,
  prompt_tokens_details: { cached_tokens: 4 },
}
const head = { id: 'chat-1', created: 1_700_000_000, model: 'tiny' }

function chunk(delta: object, finish: string | null = null): object {
  return { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] }
}

function reasonOf({ finish, calls }: Says): string {
  return finish ?? (calls ? 'tool_calls' : 'stop')
}

function chunksOf(says: Says): object[] {
  const { text = '', reasoning, calls = [] } = says
  const words = text.match(/\s*\S+/g) ?? []
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(reasoning ? [chunk({ reasoning_content: reasoning })] : []),
    ...words.map((content) => chunk({ content })),
    ...calls.flatMap((call, index) => {
      const middle = Math.floor(call.arguments.length / 2)
      const begin = { name: call.name, arguments: call.arguments.slice(0, middle) }
      return [
        chunk({ tool_calls: [{ index, id: call.id, type: 'function', function: begin }] }),
        chunk({ tool_calls: [{ index, function: { arguments: call.arguments.slice(middle) } }] }),
      ]
    }),
    chunk({}, reasonOf(says)),
    { ...head, object: 'chat.completion.chunk', choices: [], usage },
  ]
}

function whole(says: Says): object {
  const { text = '', reasoning, calls } = says
  const message = {
    role: 'assistant',
    content: text,
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(calls
      ? {
          tool_calls: calls.map(({ id, ...called }) => ({ id, type: 'function', function: called })),
        }
      : {}),
  }
  return { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: reasonOf(says) }], usage }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return text
}
