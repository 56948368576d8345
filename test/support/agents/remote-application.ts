import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { StreamChannelOptions } from '../../../src/channel/stream.ts'
import {
  Agent,
  type JsonObject,
  memoryStore,
  memoryStreams,
  type Store,
  StreamChannel,
  type Streams,
  type Tool,
  tool,
} from '../../../src/index.ts'
import type { HilMessage } from '../../../src/ports.ts'
import { type ScriptStep, scriptedModel } from '../../../src/testing.ts'
import { until } from '../until.ts'

export type Question = Extract<HilMessage, { msg_type: 'HIL_interrupt_request' }>

/** A tool that notes what it did. */
export function refundTool(done: JsonObject[], options: { needsApproval?: boolean } = {}): Tool {
  return tool({
    name: 'refund',
    description: 'Pays money back.',
    parameters: z.object({ cents: z.number().int().positive() }),
    needsApproval: options.needsApproval ?? true,
    execute: (args) => {
      done.push(args)
      return `${args.cents} cents paid back`
    },
  })
}

/** One call of the refund tool, then a last word. */
export const refundOnce: ScriptStep[] = [{ toolCalls: [{ id: 'c1', name: 'refund', args: { cents: 500 } }] }, 'Done.']

/** An application: a thread whose questions go to a session on streams. */
export async function application(
  script: readonly ScriptStep[],
  tools: readonly Tool[],
  options: { store?: Store; streams?: Streams; session?: string } & Partial<StreamChannelOptions> = {},
) {
  const { store = memoryStore(), streams = memoryStreams(), session = randomUUID(), ...rest } = options
  const open = await streams.describe(session)
  if (!open) await streams.open(session, { owner: 'ann', expireSeconds: 3600 })
  const agent = new Agent({ name: 'clerk', model: scriptedModel(script), tools })
  return {
    agent,
    store,
    streams,
    session,
    /** As a fresh process would: a channel and a thread of its own. */
    open(more: Partial<StreamChannelOptions> = {}) {
      const channel = new StreamChannel({ streams, session, store, threadId: 't', ...rest, ...more })
      return { channel, thread: agent.thread('t', { store, channel }) }
    },
    /** The questions that are open on the stream. */
    questions: () => questionsOn(streams, session),
    /** The questions, once there are so many. */
    asked: (count = 1) => asked(streams, session, count),
    /** What clients were told, by type. */
    notices: async () => {
      const read = await streams.read(session, { after: '0', limit: 1000 })
      return (read.kind === 'messages' ? read.messages : []).flatMap((each) =>
        'message' in each && each.message.msg_type === 'Notification' ? [each.message.content] : [],
      )
    },
  }
}

export async function questionsOn(streams: Streams, session: string): Promise<Question[]> {
  const read = await streams.pending(session)
  const messages = read.kind === 'messages' ? read.messages : []
  return messages.flatMap((each) => ('message' in each ? [each.message as Question] : []))
}

export async function asked(streams: Streams, session: string, count = 1): Promise<Question[]> {
  let found: Question[] = []
  await until(async () => {
    found = await questionsOn(streams, session)
    return found.length >= count
  })
  return found
}
