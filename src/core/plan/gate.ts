import type { Entry } from '../../protocol/entry.ts'
import type { Frame, Run } from '../state.ts'

/** What a person's word on a gate means: the answer ends the run, is replaced by theirs, or goes back to the model with their reason. */
export function planGate(run: Run, frame: Frame): Entry[] {
  const answer = run.gate?.answer
  if (!answer) return []
  const passed: Entry = { v: 1, type: 'gate.passed', run: run.id }
  const settled: Entry = { v: 1, type: 'run.settled', run: run.id, status: 'completed' }
  if (answer.kind === 'closed')
    return [
      passed,
      back(run, answer.status === 'expired' ? 'nobody let it through in time' : (answer.reason ?? 'it was withdrawn')),
    ]
  const { decision } = answer
  switch (decision.type) {
    case 'respond':
      return [passed, { ...settled, message: { role: 'assistant', content: decision.message, stopReason: 'stop' } }]
    case 'reject':
      return [passed, back(run, decision.message ?? 'no reason was given')]
    default:
      // Input that came in meanwhile is answered before the run ends.
      return frame.queued.length > 0 ? [passed] : [passed, settled]
  }
}

function back(run: Run, reason: string): Entry {
  const content = `A person did not let your last answer through: ${reason}. Answer again.`
  return { v: 1, type: 'input.added', run: run.id, input: [{ role: 'system', content }] }
}
