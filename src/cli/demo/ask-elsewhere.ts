import type { Ask } from './demo.ts'
import { sayCommands, sayDecided, sayQuestion } from './say.ts'
import { untilChanged } from './watch.ts'

/** Shows the question, says how to decide it from another shell, and waits until somebody does. */
export const askElsewhere: Ask = async (demo, _channel, request) => {
  const { stop, store } = demo
  sayQuestion(demo, request)
  sayCommands(demo, request)
  const changed = await untilChanged(store, request, stop.signal)
  if (!changed) return { kind: 'left', code: stop.code }
  sayDecided(demo, changed)
  return { kind: 'go-on' }
}
