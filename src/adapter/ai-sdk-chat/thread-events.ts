import type { AgentEvent, Thread, ThreadResult } from '../../index.ts'

/** A thread whose output has any type. */
export type AnyThread = Pick<Thread<never, unknown>, 'subscribe' | 'nextResult' | 'state'>

/** What a thread does from now on, until the call that drives it is over. */
export interface ThreadEvents {
  readonly events: AsyncGenerator<AgentEvent>
  readonly result: Promise<ThreadResult<unknown>>
  /** Stops listening. */
  stop(): void
}

/** Listens to a thread at once, so that nothing is missed of a call that follows or was just made. */
export function listenTo(thread: AnyThread): ThreadEvents {
  const heard: AgentEvent[] = []
  let isOver = false
  let wake = (): void => undefined
  const unsubscribe = thread.subscribe((event) => {
    heard.push(event)
    wake()
  })
  const stop = (): void => {
    isOver = true
    unsubscribe()
    wake()
  }
  const result = thread.nextResult()
  result.then(stop, stop)
  const events = async function* (): AsyncGenerator<AgentEvent> {
    for (;;) {
      for (let next = heard.shift(); next; next = heard.shift()) yield next
      if (isOver) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return { events: events(), result, stop }
}
