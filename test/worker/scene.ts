import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { openDesk } from '../../src/desk/open-desk.ts'
import type { Queue } from '../../src/ports/queue.ts'
import type { Store } from '../../src/ports/store.ts'
import type { Decision } from '../../src/protocol/decision.ts'
import { inProcessQueue } from '../../src/queue/in-process/queue.ts'
import { Agent, type AgentOptions } from '../../src/runtime/agent/agent.ts'
import { tool } from '../../src/runtime/definition/tool/tool.ts'
import type { ToolContext } from '../../src/runtime/definition/tool/tool-context.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { createWorker, type ThreadWorker } from '../../src/worker/create-worker.ts'
import type { WorkerEvent } from '../../src/worker/events.ts'
import type { WorkerOptions } from '../../src/worker/options.ts'
import { until } from '../support/until.ts'

/** Options of a payer beside those of its agent. */
export interface PayerOptions extends Partial<AgentOptions> {
  pay?: (ctx: ToolContext) => unknown
  needsApproval?: boolean
  timeoutSeconds?: number
}

/** An agent that pays once, after a person has approved it, and then says so. It has no state: any process can go on with it. */
export function payer({ pay = () => 'paid', needsApproval = true, ...options }: PayerOptions = {}): Agent {
  const { timeoutSeconds, ...rest } = options
  return new Agent({
    id: 'payer',
    name: 'Payer',
    model: {
      async respond({ messages }) {
        if (messages.at(-1)?.role === 'tool') return { content: 'done' }
        return { toolCalls: [{ id: 'c1', name: 'pay', args: { cents: 100 } }] }
      },
    },
    tools: [
      tool({
        name: 'pay',
        description: 'Pays.',
        parameters: z.object({ cents: z.number() }),
        needsApproval,
        ...(timeoutSeconds === undefined ? {} : { review: { timeoutSeconds } }),
        execute: async (_args, ctx) => pay(ctx),
      }),
    ],
    ...rest,
  })
}

/** A store, a queue, and workers that are stopped when the test is over. */
export interface Scene {
  readonly store: Store
  readonly queue: Queue
  readonly events: WorkerEvent[]
  /** Starts a worker. It sweeps every 20 ms unless told. */
  start(agent: Agent | readonly Agent[], options?: Partial<WorkerOptions>): Promise<ThreadWorker>
}

/** Makes a scene. */
export function scene({
  store = memoryStore(),
  queue = inProcessQueue(),
}: Partial<Pick<Scene, 'store' | 'queue'>> = {}): Scene {
  const events: WorkerEvent[] = []
  const workers: ThreadWorker[] = []
  onTestFinished(async () => {
    await Promise.all(workers.map((worker) => worker.stop({ graceMs: 0 })))
    await queue.close()
    await store.close()
  })
  return {
    store,
    queue,
    events,
    async start(agent, options = {}) {
      const agents = Array.isArray(agent) ? agent : [agent]
      const onEvent = (event: WorkerEvent): number => events.push(event)
      const worker = createWorker({ agents, store, queue, sweepMs: 20, onEvent, ...options })
      workers.push(worker)
      await worker.start()
      return worker
    },
  }
}

/** Waits for the open request of a thread. */
export async function asked(store: Store, threadId: string): Promise<string> {
  let id: string | undefined
  await until(async () => {
    const { requests } = await store.findRequests({ threadId, status: 'open' })
    id = requests[0]?.id
    return id !== undefined
  })
  return id!
}

/** Decides the open request of a thread, as soon as there is one. */
export async function decide(
  store: Store,
  threadId: string,
  { decision = { type: 'approve' }, undoSeconds }: { decision?: Decision; undoSeconds?: number } = {},
): Promise<string> {
  const id = await asked(store, threadId)
  const undo = undoSeconds === undefined ? {} : { undoSeconds }
  await openDesk({ store }).decide({ request: id, decision, by: 'ann', ...undo })
  return id
}

/** Whether the run of a thread is over. */
export async function isOver(store: Store, threadId: string): Promise<boolean> {
  const { entries } = await store.read(threadId)
  return entries.some(({ body }) => JSON.parse(body).type === 'run.settled')
}

/** Waits until the runs of these threads are over. */
export async function over(store: Store, ...threadIds: string[]): Promise<void> {
  await until(async () => (await Promise.all(threadIds.map((id) => isOver(store, id)))).every(Boolean))
}
