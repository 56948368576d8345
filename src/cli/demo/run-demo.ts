import { CheckpointedChannel, RunState, type Thread, ThreadBusy, ThreadPaused, type ThreadResult } from '../../index.ts'
import { supportAgent } from './agent.ts'
import { askAsShown } from './ask-as-shown.ts'
import type { Demo } from './demo.ts'
import { CUSTOMER_SAYS } from './orders.ts'
import { sayEnd, sayEvent, sayGoodbye, sayHello, sayMessages, sayWelcomeBack } from './say.ts'
import { demoThread, lastDemo, versionOf } from './thread.ts'

/**
 * Shows the demo from where it stands to its end, or until the person leaves: a live thread whose channel shows each question as it comes.
 * Resolves to the exit code.
 */
export async function runDemo(demo: Demo): Promise<number> {
  const { store, deps, stop } = demo
  const { threadId, isNew } = await choose(demo)
  const channel = new CheckpointedChannel({ store, threadId })
  const thread = supportAgent.thread(threadId, { store, channel, deps })
  thread.subscribe((event) => sayEvent(demo, event))
  const asking = askAsShown(demo, thread, channel)
  const result = await drive(demo, thread, isNew)
  const left = await asking.end()
  if (left) return leave(demo, 'question', left.code)
  switch (result?.status) {
    case 'failed':
      throw result.error
    case 'completed':
    case 'aborted':
      sayEnd(demo, threadId)
      return 0
    case 'suspended':
    case 'incomplete':
    case undefined:
      return leave(demo, result?.requests.length ? 'question' : 'work', stop.code)
    default:
      return result satisfies never
  }
}

function leave(demo: Demo, at: 'question' | 'work', code: number): number {
  sayGoodbye(demo, at)
  return code
}

/** Comes back to the last thread if it is not over; else starts a new one. */
async function choose(demo: Demo): Promise<{ threadId: string; isNew: boolean }> {
  const { store } = demo
  const last = await lastDemo(store)
  if (last > 0) {
    const threadId = demoThread(last)
    const state = await RunState.load(supportAgent, { threadId, store })
    if (state.status === 'open') {
      sayWelcomeBack(demo, threadId)
      sayMessages(demo, state.messages)
      return { threadId, isNew: false }
    }
  }
  const threadId = demoThread(last + 1)
  sayHello(demo, threadId)
  return { threadId, isNew: true }
}

/** Drives the thread. While another process does, its progress is waited for. `undefined`: told to stop meanwhile. */
async function drive({ store, stop }: Demo, thread: Thread, isNew: boolean): Promise<ThreadResult | undefined> {
  const { signal } = stop
  let fresh = isNew
  while (!signal.aborted) {
    const after = await versionOf(store, thread.id)
    try {
      return fresh ? await thread.prompt(CUSTOMER_SAYS, { signal }) : await thread.resume({ signal })
    } catch (error) {
      // Somebody started the same demo at the same moment: join in.
      if (!(error instanceof ThreadBusy || error instanceof ThreadPaused)) throw error
      fresh = false
      if (error instanceof ThreadPaused) continue
      await store.changed(thread.id, { after, signal: AbortSignal.any([signal, AbortSignal.timeout(1_000)]) })
    }
  }
  return undefined
}
