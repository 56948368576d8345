import {
  Agent,
  type Channel,
  CheckpointedChannel,
  type HitlRequest,
  InMemoryChannel,
  memoryStore,
  type Store,
  type ThreadOptions,
  type Tool,
} from '../../../src/index.ts'
import { type ScriptStep, scriptedModel } from '../../../src/testing.ts'
import { until } from '../until.ts'
import { collect } from './thread-events.ts'

/** An agent that plays a script, its model, and a way to make threads of it that share a store. */
export function scene(
  script: readonly ScriptStep[],
  tools: readonly Tool[],
  options: { store?: Store; threadId?: string } & Omit<ThreadOptions, 'store' | 'channel'> = {},
) {
  const { store = memoryStore(), threadId = 't', ...rest } = options
  const model = scriptedModel(script)
  const agent = new Agent({ name: 'clerk', model, tools })
  return {
    agent,
    model,
    store,
    /** As a fresh process would: a thread and a channel of its own on the shared store. */
    open(
      kind: ChannelKind = 'durable',
      more: { defaultTimeoutSeconds?: number; allowInsideCustomTool?: boolean } = {},
    ) {
      const channel = newChannel(kind, { store, threadId, ...more })
      const thread = agent.thread(threadId, { store, channel, ...rest })
      return { thread, channel, events: collect(thread) }
    },
  }
}

export type ChannelKind = 'memory' | 'durable'

export const channelKinds: ChannelKind[] = ['memory', 'durable']

export function newChannel(
  kind: ChannelKind,
  options: { store: Store; threadId: string; defaultTimeoutSeconds?: number; allowInsideCustomTool?: boolean },
): InMemoryChannel | CheckpointedChannel {
  const { store: _s, allowInsideCustomTool: _a, ...rest } = options
  return kind === 'memory' ? new InMemoryChannel(rest) : new CheckpointedChannel(options)
}

/** What the channel shows, once it shows something that fits. */
export async function shown(channel: Channel, fits: (request: HitlRequest) => boolean = () => true) {
  let found: HitlRequest | undefined
  await until(() => {
    found = channel.pending && fits(channel.pending) ? channel.pending : undefined
    return found !== undefined
  })
  return found!
}

/** What the channel shows under this question id, once it does. */
export function shownAs(channel: Channel, questionId: string): Promise<HitlRequest> {
  return shown(channel, (request) => request.questionId === questionId)
}
