import { type RunResult, RunState, run, ThreadBusy, ThreadPaused } from '../../index.ts'
import { supportAgent } from './agent.ts'
import { askElsewhere } from './ask-elsewhere.ts'
import { askInTerminal } from './ask-in-terminal.ts'
import type { Demo } from './demo.ts'
import { CUSTOMER_SAYS } from './orders.ts'
import { sayEnd, sayGoodbye, sayHello, sayMessages, sayWelcomeBack } from './say.ts'
import { demoThread, lastDemo, versionOf } from './thread.ts'

/** Shows the demo from where it stands to its end, or until the person leaves. Resolves to the exit code. */
export async function runDemo(demo: Demo): Promise<number> {
  const ask = demo.context.interactive ? askInTerminal : askElsewhere
  let result = await begin(demo)
  let said = 0
  while (result) {
    const { messages } = result.state
    sayMessages(demo, messages.slice(said))
    said = messages.length
    switch (result.status) {
      case 'interrupted': {
        const asked = await ask(demo, result.state)
        if (asked.kind === 'left') return leave(demo, 'question', asked.code)
        demo.context.out('')
        break
      }
      case 'incomplete':
        if (demo.stop.signal.aborted) return leave(demo, 'work', demo.stop.code)
        break
      case 'failed':
        throw result.error
      case 'completed':
      case 'aborted':
        sayEnd(demo, result.threadId)
        return 0
    }
    result = await goOn(demo, result.state)
  }
  return leave(demo, 'work', demo.stop.code)
}

function leave(demo: Demo, at: 'question' | 'work', code: number): number {
  sayGoodbye(demo, at)
  return code
}

/** Comes back to the last thread if it is not over; else starts a new one. */
async function begin(demo: Demo): Promise<RunResult | undefined> {
  const { store, deps, stop } = demo
  const last = await lastDemo(store)
  if (last > 0) {
    const state = await RunState.load(supportAgent, { threadId: demoThread(last), store })
    if (state.status === 'open') {
      sayWelcomeBack(demo, state.threadId)
      return goOn(demo, state)
    }
  }
  const threadId = demoThread(last + 1)
  sayHello(demo, threadId)
  try {
    return await run(supportAgent, CUSTOMER_SAYS, { threadId, store, deps, signal: stop.signal })
  } catch (error) {
    // Somebody started the same demo at the same moment: join in.
    if (!(error instanceof ThreadBusy || error instanceof ThreadPaused)) throw error
    return goOn(demo, await RunState.load(supportAgent, { threadId, store }))
  }
}

/** Drives the run on. While another process does, its progress is waited for. `undefined`: told to stop meanwhile. */
async function goOn({ store, deps, stop }: Demo, state: RunState): Promise<RunResult | undefined> {
  const { threadId } = state
  while (!stop.signal.aborted) {
    const after = await versionOf(store, threadId)
    try {
      return await run(supportAgent, state, { deps, signal: stop.signal })
    } catch (error) {
      if (!(error instanceof ThreadBusy)) throw error
      await store.changed(threadId, { after, signal: AbortSignal.any([stop.signal, AbortSignal.timeout(1_000)]) })
    }
  }
  return undefined
}
