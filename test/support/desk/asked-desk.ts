import { projectRequests } from '../../../src/core/views/project.ts'
import type { Answer } from '../../../src/desk/answer/answer-shape.ts'
import { decide } from '../../../src/desk/answer/decide.ts'
import type { DeskOptions } from '../../../src/desk/options.ts'
import type { Append } from '../../../src/ports/store.ts'
import type { Entry, EntryOf } from '../../../src/protocol/entries/entry.ts'
import { memoryStore } from '../../../src/store/memory/store.ts'

export const ann = { kind: 'person', id: 'ann' } as const
export const bob = { kind: 'person', id: 'bob' } as const
export const approve = { type: 'approve' } as const

export const requestId = (n: number) => `01890000-0000-7000-8000-00000000000${n}`

/** A request to approve a call of `pay`. */
export const opened = (n: number, more: Partial<EntryOf<'request.opened'>> = {}): EntryOf<'request.opened'> => ({
  v: 1,
  type: 'request.opened',
  id: requestId(n),
  questionId: `q${n}`,
  kind: 'approve',
  run: 'run',
  call: `run/1/${n}` as never,
  agent: 'agent',
  path: ['agent'],
  toolName: 'pay',
  toolCallId: `q${n}`,
  args: { n },
  definition: 'd1',
  digest: `x${n}`,
  allowedDecisions: ['approve', 'edit', 'reject', 'respond'],
  ...more,
})

const { run: _run, call: _call, definition: _definition, ...question } = opened(2)

/** Request 2, which asks a person to confirm. */
export const asksToConfirm = {
  ...question,
  kind: 'confirm',
  prompt: 'Sure?',
  allowedDecisions: [],
} as EntryOf<'request.opened'>

/** Ann's approval of request `n`. */
export const yes = (n: number, more: Partial<Answer> = {}): Answer => ({
  id: requestId(n),
  decision: approve,
  by: ann,
  ...more,
})

/** A desk over the thread `t`, in which these requests are open, and what the desk appends to it. */
export async function askedDesk(asked: readonly Entry[] = [opened(0), opened(1)], options: Partial<DeskOptions> = {}) {
  const store = memoryStore({ clock: { now: () => 7 } })
  const ask = (threadId: string, entries: readonly Entry[]) =>
    store.append({
      threadId,
      entries: entries.map((entry) => JSON.stringify(entry)),
      requests: projectRequests([...entries], threadId),
    })
  await ask('t', asked)
  const appends: Append[] = []
  const watched = {
    ...store,
    append(append: Append) {
      appends.push(append)
      return store.append(append)
    },
  }
  const all: DeskOptions = { store: watched, newId: () => 'new', checkEdit: async () => undefined, ...options }
  return {
    store,
    ask,
    appends,
    added: () => appends.flatMap(({ entries }) => entries.map((body) => JSON.parse(body) as Entry)),
    decide: (...answers: Answer[]) => decide(all, answers),
    with: (more: Partial<DeskOptions>, ...answers: Answer[]) => decide({ ...all, ...more }, answers),
  }
}
