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
const FIRST = 112
/** The most that a store reads back at once. */
const MOST = 500

/** The end of a thread, or its entries up to one of them, read backwards as far as they are needed. */
export class ThreadWindow {
  readonly threadId: string
  /** How many entries the thread has. */
  readonly version: number
  /** The latest runs of the thread, the newest last. */
  readonly marks: readonly RunMark[]
  readonly #store: Store
  readonly #definitions: ThreadState['definitions']
  #entries: ThreadEntry[]
  #before: number

  constructor(store: Store, read: { threadId: string; version: number; start?: ThreadState; entries: ThreadEntry[] }) {
    const { threadId, version, start, entries } = read
    this.threadId = threadId
    this.version = version
    this.#store = store
    this.#entries = entries
    this.#before = start?.version ?? 0
    this.marks = marksAfter(start?.marks ?? [], entries)
    this.#definitions = start?.definitions.copy() ?? new Definitions()
    for (const { entry } of entries.filter(isOf('tool.defined'))) this.#definitions.add(entry.definition, entry)
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
    return (this.#entries.at(-1)?.seq ?? this.#before) === this.version
  }

  /** The JSON Schema of a tool's arguments, by the fingerprint of the tool. */
  schemaOf(definition: string | undefined) {
    return definition === undefined ? undefined : this.#definitions.get(definition)?.parameters
  }

  /** Leaves out the entries after one of them. */
  endAt(seq: number): void {
    this.#entries = this.#entries.filter((each) => each.seq <= seq)
    this.#before = Math.min(this.#before, seq)
  }

  /** Reads further back. */
  async extend(): Promise<void> {
    const most = this.isShort ? SHORT : Math.min(MOST, Math.max(FIRST - this.#entries.length, this.#entries.length))
    const part = await this.readBefore(this.#before + 1, most)
    this.#before -= part.length
    this.#entries = [...part, ...this.#entries]
  }

  /** The last entries before a number, wherever that is. They do not become part of the window. */
  async readBefore(before: number, limit: number): Promise<ThreadEntry[]> {
    const { entries } = await this.#store.readBack(this.threadId, { before, limit })
    return parseThread(this.threadId, entries)
  }
}

/** Opens a thread at its end, or at one of its entries, with as many entries as most pages need. A short thread is read as a whole. */
export async function openWindow(store: Store, threadId: string, upTo?: number): Promise<ThreadWindow> {
  const { version, start, entries } = await readSince(store, threadId)
  const read = { threadId, version, entries: parseThread(threadId, entries) }
  const window = new ThreadWindow(store, start ? { ...read, start } : read)
  if (upTo !== undefined) window.endAt(upTo)
  if (!window.isWhole && (window.isShort || window.entries.length < FIRST)) await window.extend()
  return window
}

function marksAfter(known: readonly RunMark[], entries: readonly ThreadEntry[]): readonly RunMark[] {
  const marked = { version: 0, marks: known }
  for (const { seq, entry } of entries) {
    marked.version = seq
    if (entry.type === 'run.opened') markRun(marked, entry)
    if (entry.type === 'input.added') markSaid(marked, entry)
    if (entry.type === 'agent.changed') markAgent(marked, entry)
  }
  return marked.marks
}
