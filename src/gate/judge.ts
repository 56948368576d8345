import { commit } from '../desk/record/commit.ts'
import { callState } from './call-state.ts'
import { CallThread } from './call-thread.ts'
import type { Calls } from './calls.ts'
import { externalKey } from './foreign-call.ts'
import type { ForeignCall, GateState } from './types.ts'

/**
 * Judges calls, or reads what was recorded about them. Equal calls without ids are judged one after the other, so that each gets its own place. Results and
 * refusals that are handed out here count as delivered.
 */
export async function judge(calls: Calls, given: readonly ForeignCall[]): Promise<GateState[]> {
  const equals = new Map<string, { call: ForeignCall; index: number }[]>()
  for (const [index, call] of given.entries()) {
    const key = externalKey(calls.settings.source, call)
    equals.set(key, [...(equals.get(key) ?? []), { call, index }])
  }
  const states: GateState[] = []
  const threads = await Promise.all(
    [...equals.values()].map(async (group) => {
      const judged: CallThread[] = []
      for (const [nth, { call, index }] of group.entries()) {
        const thread = await judgeOne(calls, call, nth)
        states[index] = await callState(thread)
        judged.push(thread)
      }
      return judged
    }),
  )
  await Promise.all(threads.flat().map((thread) => thread.deliver()))
  return states
}

async function judgeOne({ settings, index }: Calls, call: ForeignCall, nth: number): Promise<CallThread> {
  return commit(`The call of ${call.toolName}`, async () => {
    const slot = await index.slotFor(call, nth)
    if (slot.thread) {
      await slot.thread.look()
      return { done: slot.thread }
    }
    const claim = (threadId: string) => index.claim(slot, threadId)
    const opened = await CallThread.open(settings, call, { claim, earlier: slot.earlier })
    return opened ? { done: opened } : undefined
  })
}
