import { mapOf } from '../shared-map.ts'
import type { AskedRequest, Call, Frame, Run, ThreadState } from '../state.ts'

/**
 * A copy that entries can be folded into while the original stays as it is. What the fold never changes in place (messages, arguments, definitions)
 * is shared, so its cost does not depend on their size.
 */
export function copyState(state: ThreadState): ThreadState {
  const messages = state.messages.copy()
  return {
    ...state,
    messages,
    definitions: state.definitions.copy(),
    asked: mapOf([...state.asked].map(([id, asked]) => [id, { ...asked }])),
    grants: mapOf([...state.grants].map(([id, given]) => [id, { ...given }])),
    run: state.run && copyRun(state.run, state.messages, messages),
  }
}

/** The root's conversation is the thread's. */
function copyRun(run: Run, original: ThreadState['messages'], copied: ThreadState['messages']): Run {
  return {
    ...run,
    session: run.session && { ...run.session },
    usage: { ...run.usage },
    rejections: mapOf([...run.rejections]),
    frames: new Map(
      [...run.frames].map(([key, frame]) => [
        key,
        copyFrame(frame, frame.messages === original ? copied : frame.messages.copy()),
      ]),
    ),
    askedAbout: mapOf([...run.askedAbout]),
  }
}

function copyFrame(frame: Frame, messages: Frame['messages']): Frame {
  const { gate } = frame
  return {
    ...frame,
    messages,
    calls: frame.calls.map(copyCall),
    queued: [...frame.queued],
    gate: gate && { request: { ...gate.request }, answer: gate.answer },
  }
}

function copyCall(call: Call): Call {
  const { phase } = call
  const request: AskedRequest | undefined = 'request' in phase ? phase.request : undefined
  return {
    ...call,
    waits: call.waits.map((wait) => ({ ...wait, request: { ...wait.request } })),
    steps: mapOf([...call.steps]),
    phase: request ? ({ ...phase, request: { ...request } } as Call['phase']) : { ...phase },
  }
}
