import { readStateText, type SigningKey, type Tracing } from '../../protocol/entries/state-text.ts'
import { JournalInvalid, StateInvalid } from '../../protocol/errors/errors.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { requireAgents } from '../frames/frame-agents.ts'
import { Journal } from '../journal/journal.ts'
import { seededStore } from './adopt.ts'

/** Reads a state text into a private journal, for the agent that it belongs to. Needs no store. */
export function restore(
  agent: AgentDefinition,
  text: string,
  options: { signingKeys?: readonly SigningKey[] },
): { journal: Journal; tracing: Tracing | undefined } {
  if (typeof text !== 'string') throw new StateInvalid('it must be a string')
  const thread = readStateText(text, options.signingKeys)
  let journal: Journal
  try {
    journal = Journal.of(seededStore(thread), thread.threadId, thread.entries)
  } catch (error) {
    throw error instanceof JournalInvalid ? new StateInvalid('its entries contradict one another', error) : error
  }
  const { run } = journal.state
  if (!run) throw new StateInvalid('it holds no run')
  requireAgents(agent, run)
  return { journal, tracing: thread.tracing }
}
