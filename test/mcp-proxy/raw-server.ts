import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { McpProxy } from '../../src/mcp.ts'
import { until } from '../support/until.ts'
import { PAY } from './proxies.ts'

export interface RawMessage {
  id?: number
  method?: string
  params?: { name?: string; arguments?: Record<string, unknown>; [key: string]: unknown }
  result?: { content?: { text: string }[]; [key: string]: unknown }
  error?: { message: string }
}

/** One connection of a proxy to a raw server. */
interface RawConnection {
  readonly got: RawMessage[]
  isClosed: boolean
  send(message: object): void
  /** Closes it, as a server that crashed. */
  crash(): Promise<void>
}

type OnMessage = (connection: RawConnection, message: RawMessage) => void

/** A server that is written by hand, to do what the SDK's would not. `silentAt` is a method that it never answers. */
export function rawServer(
  onCall: OnMessage,
  { tools = [PAY], silentAt }: { tools?: object[]; silentAt?: string } = {},
) {
  const connections: RawConnection[] = []
  const answers: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, logging: {} },
      serverInfo: { name: 'raw', version: '1' },
    },
    'tools/list': { tools },
    ping: {},
  }
  const transport = async (): Promise<Transport> => {
    const [near, far] = InMemoryTransport.createLinkedPair()
    const connection: RawConnection = {
      ...{ got: [], isClosed: false, crash: () => far.close() },
      send: (message) => void far.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage).catch(() => undefined),
    }
    connections.push(connection)
    far.onclose = () => {
      connection.isClosed = true
    }
    far.onmessage = (message) => {
      const given = message as RawMessage
      connection.got.push(given)
      const { id, method = '' } = given
      if (method === silentAt) return
      if (answers[method]) connection.send({ id, result: answers[method] })
      else onCall(connection, given)
    }
    await far.start()
    return near
  }
  const got = (): RawMessage[] => connections.flatMap((one) => one.got)
  /** The calls that it got, in order. */
  const calls = (): RawMessage[] => got().filter(({ method }) => method === 'tools/call')
  return { server: { transport }, connections, got, calls }
}

/** The result of a call that is a text. */
export const text = (said: string) => ({ content: [{ type: 'text', text: said }] })

/** Answers each call with `said`. */
export function saying(said: string | ((message: RawMessage) => string)): OnMessage {
  return (connection, message) => {
    if (message.method !== 'tools/call') return
    connection.send({ id: message.id, result: text(typeof said === 'string' ? said : said(message)) })
  }
}

/** A client that is written by hand. */
export async function rawClient(proxy: McpProxy, principal = 'tester') {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const got: RawMessage[] = []
  near.onmessage = (message) => void got.push(message as RawMessage)
  await near.start()
  await proxy.connect(far, { principal })
  const send = (message: object): Promise<void> => near.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage)
  const call = (id: number, cents: number): Promise<void> =>
    send({ id, method: 'tools/call', params: { name: 'pay', arguments: { cents } } })
  /** The texts of the answers to a request, once there are so many. */
  const answersTo = async (id: number, count = 1): Promise<(string | undefined)[]> => {
    const answers = () => got.filter((message) => message.id === id && message.method === undefined)
    await until(() => answers().length >= count)
    return answers().map(({ result, error }) => result?.content?.[0]?.text ?? error?.message)
  }
  return { got, send, call, answersTo, close: () => near.close() }
}
