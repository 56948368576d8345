import { callsOf } from '../core/queries.ts'
import type { RecordChange, StoredRecord } from '../ports/records.ts'
import { isThreadErased } from '../protocol/errors/errors.ts'
import { GATE_CALL } from '../protocol/record-kinds.ts'
import { CallThread, type Earlier } from './call-thread.ts'
import { externalKey } from './foreign-call.ts'
import type { GateSettings } from './settings.ts'
import type { ForeignCall } from './types.ts'

/** A place in the index. `thread` is absent if nothing is there, or what was there was erased. */
export interface Slot {
  readonly id: string
  /** The version of its record. 0: there is none. */
  readonly version: number
  readonly thread: CallThread | undefined
}

/**
 * Finds the threads of calls from outside by their external keys.
 *
 * I1  A look-up reads records by their ids, however many calls there are.
 * I2  A key leads to one thread: its record is written in the append that opens the thread, and only as it was read.
 * I3  A call with an id has one slot for good. Equal calls without ids have as many slots as are under way at once.
 */
export class CallIndex {
  readonly #settings: GateSettings

  constructor(settings: GateSettings) {
    this.#settings = settings
  }

  /** All slots of a call that were ever used, in order. */
  async slotsOf(call: ForeignCall): Promise<Slot[]> {
    const key = externalKey(this.#settings.source, call)
    if (call.callId !== undefined) {
      const record = await this.#read(key)
      return record ? [await this.#slot(call, key, record)] : []
    }
    const slots: Slot[] = []
    for (;;) {
      const id = `${key}/${slots.length}`
      const record = await this.#read(id)
      if (!record) return slots
      slots.push(await this.#slot(call, id, record))
    }
  }

  /**
   * The slot for the `nth` of several equal calls that are judged together. With a thread, the call attaches to that one. Without, or if `earlier` is set,
   * it is a new call.
   */
  async slotFor(call: ForeignCall, nth: number): Promise<Slot & { earlier?: Earlier }> {
    const slots = await this.slotsOf(call)
    const key = externalKey(this.#settings.source, call)
    if (call.callId !== undefined) return slots[0] ?? { id: key, version: 0, thread: undefined }
    const attachable = slots.filter(({ thread }) => thread && !this.isOver(thread) && !isWithHost(thread))
    const found = attachable[nth]
    if (found) return found
    const used = slots.filter(({ thread }) => !thread || this.isOver(thread))
    const place = nth - attachable.length
    const again = used[place]
    if (!again) return { id: `${key}/${slots.length + place - used.length}`, version: 0, thread: undefined }
    const earlier = again.thread && { threadId: again.thread.journal.state.threadId, at: endedAt(again.thread) }
    return { ...again, thread: undefined, ...(earlier ? { earlier } : {}) }
  }

  /** The change that puts a thread into a slot, unless somebody else was faster. */
  claim({ id, version }: Slot, threadId: string): RecordChange {
    return { op: 'put', kind: GATE_CALL, id, value: threadId, expect: version }
  }

  /** Whether the slot of this call may be used again: it was delivered, or its result, or its end after it was handed over, was waited for long enough. */
  isOver(thread: CallThread): boolean {
    const { journal } = thread
    const { run } = journal.state
    if (run?.status !== 'open') return true
    const ended = callsOf(journal.state).length === 0 && [...run.frames.values()].every(({ answered }) => answered)
    return (ended || isWithHost(thread)) && journal.now() - endedAt(thread) >= this.#settings.attachMs
  }

  #read(id: string): Promise<StoredRecord | undefined> {
    return this.#settings.store.readRecord(GATE_CALL, id)
  }

  async #slot(call: ForeignCall, id: string, { version, value }: StoredRecord): Promise<Slot> {
    // Its thread was erased, and so was the name of it.
    if (value === '') return { id, version, thread: undefined }
    try {
      return { id, version, thread: await CallThread.attach(this.#settings, call, value) }
    } catch (error) {
      if (isThreadErased(error)) return { id, version, thread: undefined }
      throw error
    }
  }
}

/** Whether a call was handed over to its host and has no end. People may be asked about it by now, or may have decided that it is handed over again. */
export function isHandedOver({ journal }: CallThread): boolean {
  return callsOf(journal.state)[0]?.handedOver !== undefined
}

/**
 * Whether a call is in the hands of its host: its release is spent, so an equal call is another one. Once people are asked what became of it, or must be,
 * an equal call is this one, made again.
 */
export function isWithHost(thread: CallThread): boolean {
  const [call] = callsOf(thread.journal.state)
  return call?.phase.at === 'started' && isHandedOver(thread) && thread.nextStep().do !== 'resolve-unknown'
}

function endedAt({ journal }: CallThread): number {
  return journal.bodies.at(-1)?.at ?? 0
}
