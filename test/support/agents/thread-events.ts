import type { AgentEvent, Thread } from '../../../src/index.ts'

/** The events of a thread from now on: the array grows. */
export function collect(thread: Thread): AgentEvent[] {
  const events: AgentEvent[] = []
  thread.subscribe((event) => events.push(event))
  return events
}

export function typesOf(events: readonly AgentEvent[]): string[] {
  return events.map(({ type }) => type)
}

export type EventOf<T extends AgentEvent['type']> = Extract<AgentEvent, { type: T }>

export function eventsOf<T extends AgentEvent['type']>(events: readonly AgentEvent[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type)
}
