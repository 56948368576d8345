import { planAgentChange } from '../../core/plan/frames.ts'
import { stagedInput } from '../../core/queries.ts'
import type { AgentRef } from '../../protocol/entries/entry.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { cloneMessages, type InputMessage } from '../../protocol/message.ts'
import type { Journal } from '../journal/journal.ts'

/** Makes another agent go on in the root frame of the open run. */
export async function changeAgent(journal: Journal, agent: AgentRef): Promise<void> {
  const written = await journal.write(({ run }) =>
    run?.status === 'open' ? { entries: [planAgentChange(run.id, { agent })] } : undefined,
  )
  if (!written) throw new InputInvalid('The run is over: start another one with the agent that is to go on.')
}

/** Removes input that was added and that the model has not read. Returns what was removed. */
export async function clearInput(journal: Journal, runId: string): Promise<InputMessage[]> {
  let removed: InputMessage[] = []
  await journal.catchUp()
  await journal.write(({ run }) => {
    removed = run?.id === runId ? stagedInput(run) : []
    return removed.length > 0 ? { entries: [{ v: 1, type: 'input.cleared', run: runId }] } : undefined
  })
  return cloneMessages(removed) as InputMessage[]
}

/** Adds input that the model reads after the results of open calls. */
export async function addInput(journal: Journal, runId: string, input: InputMessage[]): Promise<void> {
  const added = { v: 1, type: 'input.added', run: runId, input } as const
  const written = await journal.write(({ run }) =>
    run?.id === runId && run.status === 'open' ? { entries: [added] } : undefined,
  )
  if (!written) throw new InputInvalid('The run is over: start another one with run(agent, input, { threadId }).')
}
