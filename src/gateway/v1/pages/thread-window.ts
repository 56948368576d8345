import { Definitions } from '../../../core/definitions.ts'
import { markAgent, markRun, markSaid } from '../../../core/fold/fold-marks.ts'
import type { RunMark } from '../../../core/run-mark.ts'
import type { ThreadState } from '../../../core/state.ts'
import { readSince } from '../../../desk/record/fold-thread.ts'
import type { Store } from '../../../ports/store.ts'
import { isOf, parseThread, type ThreadEntry } from '../views/thread-entries.ts'

/** A thread with no more entries is read as a whole: that costs little, and then everything in it can be counted. */
const SHORT = 256
/** How many entries are read first; then twice as many each time. */
const FIRST = 64
/** The most that a store reads back at once. */
const MOST = 500

/** What a thread's snapshot and the entries after it say about all of the thread. */
export interface Landmarks {
  /** The latest runs, the newest last. */
  readonly marks: readonly RunMark[]
  /** Tools by their fingerprint. */
  readonly definitions: Definitions
}

/** The end of a thread, or its entries up to one of them, read backwards as far as they are needed. */
export class ThreadWindow {
  readonly threadId: string
  /** How many entries the thread has. */
  readonly version: number
  readonly #store: Store
  #entries: readonly ThreadEntry[]
  #before: number
  #landmarks: Promise<Landmarks> | undefined

  constructor(
    store: Store,
    read: { threadId: string; version: number; entries: readonly ThreadEntry[]; upTo: number },
  ) {
    const { threadId, version, entries, upTo } = read
    this.threadId = threadId
    this.version = version
    this.#store = store
    this.#entries = entries
    this.#before = Math.min(version, upTo) - entries.length
  }

  /** What was read, in order. */
  get entries(): readonly ThreadEntry[] {
    return this.#entries
  }

  /** How many entries come before what was read. */
  get before(): number {
    return this.#before
  }

  /** Nothing comes before what was read. */
  get isWhole(): boolean {
    return this.#before === 0
  }

  /** The thread is so short that it is read as a whole. */
  get isShort(): boolean {
    return this.version <= SHORT
  }

  /** Whether it reaches the end of the thread. */
  get isAtEnd(): boolean {
    return this.#before + this.#entries.length === this.version
  }

  /** Reads further back. */
  async extend(): Promise<void> {
    const most = this.isShort ? SHORT : Math.min(MOST, Math.max(FIRST, this.#entries.length))
    const part = await this.readBefore(this.#before + 1, most)
    this.#before -= part.length
    this.#entries = [...part, ...this.#entries]
  }

  /** The last entries before a number, wherever that is. They do not become part of the window. */
  async readBefore(before: number, limit: number): Promise<ThreadEntry[]> {
    const { entries } = await this.#store.readBack(this.threadId, { before, limit })
    return parseThread(this.threadId, entries)
  }

  /** Where runs began, and which tools there are. Read when it is first needed. */
  landmarks(): Promise<Landmarks> {
    this.#landmarks ??= this.isWhole ? Promise.resolve(landmarksIn(this.#entries)) : this.#readLandmarks()
    return this.#landmarks
  }

  async #readLandmarks(): Promise<Landmarks> {
    const { start, entries } = await readSince(this.#store, this.threadId)
    return landmarksIn(parseThread(this.threadId, entries), start)
  }
}

/** Opens a thread at its end, or at one of its entries, with as many entries as most pages need. A short thread is read as a whole. */
export async function openWindow(
  store: Store,
  threadId: string,
  upTo = Number.MAX_SAFE_INTEGER - 1,
): Promise<ThreadWindow> {
  const { version, entries } = await store.readBack(threadId, { before: upTo + 1, limit: FIRST })
  const window = new ThreadWindow(store, { threadId, version, upTo, entries: parseThread(threadId, entries) })
  if (window.isShort && !window.isWhole) await window.extend()
  return window
}

function landmarksIn(entries: readonly ThreadEntry[], start?: ThreadState): Landmarks {
  const marked = { version: 0, marks: start?.marks ?? [] }
  for (const { seq, entry } of entries) {
    marked.version = seq
    if (entry.type === 'run.opened') markRun(marked, entry)
    if (entry.type === 'input.added') markSaid(marked, entry)
    if (entry.type === 'agent.changed') markAgent(marked, entry)
  }
  const definitions = start?.definitions.copy() ?? new Definitions()
  for (const { entry } of entries.filter(isOf('tool.defined'))) definitions.add(entry.definition, entry)
  return { marks: marked.marks, definitions }
}
