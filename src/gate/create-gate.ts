import { Desk } from '../desk/desk.ts'
import { InputInvalid } from '../protocol/errors/errors.ts'
import { Bookmarks } from './bookmarks.ts'
import { CallIndex } from './call-index.ts'
import { Calls } from './calls.ts'
import { execute } from './execute.ts'
import { checkCall, checkCalls } from './foreign-call.ts'
import { finished, spend } from './hand-over.ts'
import { judge } from './judge.ts'
import { sweeping, sweepOverdue } from './overdue.ts'
import { gateSettings } from './settings.ts'
import { onSettled } from './settled.ts'
import type { Gate, GateOptions } from './types.ts'
import { waitFor } from './wait.ts'

/**
 * Makes a gate: hold points for the tool calls of an agent that runs elsewhere. Judge a call where the host asks about it, and `execute` it where the host
 * would run its tool. What the gate holds is in the same store, lists and inbox as the requests of holdpoint's own agents.
 */
export function createGate(options: GateOptions): Gate {
  const settings = gateSettings(options)
  const calls = new Calls(settings, new CallIndex(settings))
  const desk = new Desk(settings)
  const bookmarks = new Bookmarks(settings)
  const sweepSometimes = sweeping(settings)
  return {
    policies: settings.policies.map(({ policy }) => policy.name),
    judge: async (given) => {
      const states = await judge(calls, checkCalls(given))
      await sweepSometimes()
      return states
    },
    state: async (call) => calls.read(checkCall(call)),
    wait: async (call, given = {}) => waitFor(calls, checkCall(call), given),
    execute: async (call, run, given = {}) => execute(calls, checkCall(call), { run, ...given }),
    spend: async (call) => spend(calls, checkCall(call)),
    finished: async (call, end) => finished(calls, checkCall(call), end),
    sweep: () => sweepOverdue(settings),
    decide: async (request, decision, options) => {
      if (!options?.by) throw new InputInvalid('gate.decide() needs who decides: decide(request, decision, { by }).')
      const { by, version } = options
      const [decided] = await desk.decide({ request, decision, by, ...(version === undefined ? {} : { version }) })
      return decided!
    },
    onSettled: (wake) => onSettled(settings, bookmarks, wake),
    bookmark: async (threadId, value) => bookmarks.put(threadId, value),
    bookmarked: async (threadId, name) => bookmarks.get(threadId, name),
    bookmarkOnce: async (threadId, value, name) => bookmarks.putOnce(threadId, value, name),
  }
}
