import { next } from '../../core/next.ts'
import { HoldpointError, StoreFailed, ThreadBusy } from '../../protocol/errors/errors.ts'
import type { EventPlace } from '../../protocol/event.ts'
import { EventQueue } from '../events/event-queue.ts'
import { EventSource } from '../events/event-source.ts'
import type { Journal } from '../journal/journal.ts'
import type { Ending, Loop } from '../loop/loop.ts'
import type { LoopParts } from '../loop/loop-parts.ts'
import type { HeardPart } from '../steps/model/ask-model.ts'
import type { RunResult } from './result.ts'
import type { RunState } from './run-state.ts'
import { StreamedRunResult } from './streamed-result.ts'

/** Lets a caller observe a run while it is driven. */
export interface Watch {
  signal?: AbortSignal | undefined
  /** The journal that the run is in: given before anything is written to it. */
  onJournal?: (journal: Journal) => void
  onTurn?: (turn: number, place: EventPlace) => void
  onPart?: (heard: HeardPart) => void
}

/** A run that has been entered and is not driven yet. */
export interface Entered {
  state: RunState
  loop: Loop
  /** Drives it. Called once. */
  drive(): Promise<Ending>
  /** Makes a result of how driving it ended. */
  settle(ending: Ending): Promise<RunResult<unknown>>
}

/** Drives a run while others read what happens. Throws what `enter` throws, and `ThreadBusy`. */
export async function streamRun(
  enter: (watch: Watch) => Promise<Entered>,
  signal: AbortSignal | undefined,
): Promise<StreamedRunResult<unknown>> {
  const stop = new AbortController()
  const queue = new EventQueue()
  let events: EventSource | undefined
  let unwatch: (() => void) | undefined
  let turn: number | undefined
  const stopping = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  try {
    const entered = await enter({
      signal: stopping,
      onJournal(journal) {
        const source = new EventSource()
        events = source
        source.begin(journal.state)
        source.listen((event) => queue.push(event))
        unwatch = journal.observe((entry) => source.folded(journal.state, entry))
      },
      onTurn(asked, place) {
        if (place.depth === 0) turn = asked
        events?.emit({ type: 'turn_start', turn: asked, ...place })
      },
      onPart: ({ whole: _whole, ...heard }) => events?.emit({ type: 'model_part', ...heard }),
    })
    const { state, loop } = entered
    await takeLease(loop.parts)
    const completed = driveToEnd(entered).finally(() => unwatch?.())
    return new StreamedRunResult({
      state,
      queue,
      stop,
      signal: stopping,
      completed,
      currentTurn: () => turn ?? state.currentTurn,
    })
  } catch (error) {
    unwatch?.()
    throw error
  }
}

async function driveToEnd({ drive, settle }: Entered): Promise<RunResult<unknown>> {
  const ending = await drive().catch((error: unknown): Ending => {
    const known = HoldpointError.isInstance(error) ? error : new StoreFailed('The run could not go on', error)
    return { kind: 'failed', error: known }
  })
  return settle(ending)
}

/**
 * Takes the lease before streaming, if there is anything to drive: so the call itself, not the stream, throws `ThreadBusy`. Any other failure
 * comes up again in the loop, which makes a result of it.
 */
async function takeLease({ journal, activation }: LoopParts): Promise<void> {
  const { do: step } = next(journal.state, { now: journal.now(), running: new Set() })
  if (step === 'nothing' || step === 'await-people' || step === 'await-time') return
  try {
    await activation.acquire()
  } catch (error) {
    if (error instanceof ThreadBusy) throw error
  }
}
