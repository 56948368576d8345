import type { EntryOf } from '../../protocol/entries/entry.ts'
import { textOf } from '../../protocol/message.ts'
import type { RunMark } from '../run-mark.ts'
import type { ThreadState } from '../state.ts'

/** What marks are made in. */
type Marked = Pick<ThreadState, 'version' | 'marks'>

/** How many runs are marked, and how many places of each: a state must not grow with its thread. */
export const MOST_MARKS = { runs: 8, places: 16 } as const

/** Marks where a run begins. */
export function markRun(state: Marked, { run: id, agent }: EntryOf<'run.opened'>): void {
  const mark: RunMark = { id, opened: state.version, agent: agent.id, said: [], changes: [] }
  state.marks = [...state.marks, mark].slice(-MOST_MARKS.runs)
}

/** Marks where somebody spoke to the root of the latest run. */
export function markSaid(state: Marked, { frame, input }: EntryOf<'input.added'>): void {
  const hasWords = input.some(({ role, content }) => role === 'user' && textOf(content) !== '')
  if (frame !== undefined || !hasWords) return
  changeLast(state, (mark) => ({ ...mark, said: [...mark.said, state.version].slice(-MOST_MARKS.places) }))
}

/** Marks where another agent took over in the latest run. */
export function markAgent(state: Marked, { frame, agent }: EntryOf<'agent.changed'>): void {
  const change = { at: state.version, frame, agent: agent.id }
  changeLast(state, (mark) => ({ ...mark, changes: [...mark.changes, change].slice(-MOST_MARKS.places) }))
}

function changeLast(state: Marked, change: (mark: RunMark) => RunMark): void {
  state.marks = state.marks.map((mark, index) => (index === state.marks.length - 1 ? change(mark) : mark))
}
