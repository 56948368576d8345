import { sayCommands, sayDecided, sayQuestion } from './say.js'
import { untilChanged } from './watch.js'

/**
 * Shows the question, says how to decide it from another shell, and waits until somebody does.
 * @type {import('./ask.js').Ask}
 */
export const askElsewhere = async (stage, { request }) => {
  const { stop, store } = stage
  sayQuestion(stage, request)
  sayCommands(stage, request)
  const changed = await untilChanged(store, request, stop.signal)
  if (!changed) return { kind: 'left', code: stop.code }
  sayDecided(stage, changed)
  return { kind: 'go-on' }
}
