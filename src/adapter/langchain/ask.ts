import { type ForeignCall, type Gate, pendingRequest } from '../../gate.ts'
import type { HitlRequest } from '../../index.ts'
import { type Asked, absorb } from './answers.ts'
import { type Hooked, threadIdOf } from './calls.ts'
import { loadPeers } from './peers.ts'
import { shownTo } from './shown.ts'

/** What people are asked in one hook. */
export interface Asking {
  readonly hooked: Hooked
  /** Names the hook's task within the conversation. */
  readonly task: string
  readonly calls: readonly ForeignCall[]
  /** How often this run of the hook has called `interrupt`: LangGraph counts the same way. */
  rounds: number
}

/**
 * Interrupts the graph until people have decided about the calls.
 *
 * LangGraph runs the hook again from its top for each answer, and hands the answers out by their order only. So what each round asked is kept in the store
 * before the graph pauses, and an answer is matched with that list, never with what is open when it arrives. Each answer is acted on once: running the hook
 * again does not repeat a decision that was withdrawn. An answer that cannot be used is asked for again, with the problem; an exception would be final,
 * because LangGraph has saved the answer already.
 */
export async function askPeople(asking: Asking): Promise<void> {
  const { hooked, task, calls } = asking
  const { interrupt } = await loadPeers()
  const { gate, case: form = 'camel' } = hooked.options
  const conversation = await threadIdOf(hooked)
  let problems: string[] = []
  for (;;) {
    const open = await openRequests(gate, calls)
    if (open.length === 0) return
    const name = roundName(task, asking.rounds)
    const list = open.map(({ call, request }) => [request.id, call.callId ?? ''])
    const kept = await gate.bookmarkOnce(conversation, list, name)
    const asked = listOf(kept.value as string[][], calls)
    await gate.bookmarkOnce(conversation, { threadId: conversation })
    asking.rounds += 1
    const answer: unknown = interrupt(shownTo({ asked, open: open.map(({ request }) => request), problems, form }))
    const first = await gate.bookmarkOnce(conversation, true, `${name} answer`)
    problems = first.isNew ? await absorb(hooked, answer, asked) : []
  }
}

/** Whether people were asked in this task before: then the hook runs again. */
export async function wasAsked({ hooked, task }: Asking): Promise<boolean> {
  const kept = await hooked.options.gate.bookmarked(await threadIdOf(hooked), roundName(task, 0))
  return kept !== undefined
}

function roundName(task: string, round: number): string {
  return `langchain ${JSON.stringify([task, round])}`
}

interface Open {
  call: ForeignCall
  request: HitlRequest
}

/** The requests that nobody has decided yet. Waits for decisions that can still be withdrawn. */
async function openRequests(gate: Gate, calls: readonly ForeignCall[]): Promise<Open[]> {
  const found = await Promise.all(
    calls.map(async (call) => {
      let request = pendingRequest(await gate.wait(call, { timeoutSeconds: 0 }))
      if (request && request.status !== 'open') request = pendingRequest(await gate.wait(call))
      return request && { call, request }
    }),
  )
  return found.filter((open) => open !== undefined)
}

function listOf(kept: readonly string[][], calls: readonly ForeignCall[]): Asked[] {
  return kept.flatMap(([id = '', callId]) => {
    const call = calls.find((one) => one.callId === callId)
    return call ? [{ id, call }] : []
  })
}
