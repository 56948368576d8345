import type { Ask } from './demo.ts'
import { sayCommands, sayDecided, sayQuestion } from './say.ts'
import { untilChanged } from './watch.ts'

/** Shows the question, says how to decide it from another shell, and waits until somebody does. */
export const askElsewhere: Ask = async (demo, state) => {
  const { stop, store } = demo
  const [request] = state.interruptions
  if (!request) return { kind: 'go-on' }
  sayQuestion(demo, request)
  sayCommands(demo, request)
  const changed = await untilChanged(store, request, stop.signal)
  if (!changed) return { kind: 'left', code: stop.code }
  sayDecided(demo, changed)
  return { kind: 'go-on' }
}
