import { type Random, seeded } from '../../support/random.ts'
import type { Machine } from './machine.ts'

/** When every simulation begins. */
export const START = 1_700_000_000_000

/** Something that goes on at a simulated time. */
interface Parked {
  readonly at: number
  /** Which of several at the same time goes first: drawn from the seed. */
  readonly tie: number
  /** The process that it belongs to. `undefined`: the network or the world. */
  readonly owner: Machine | undefined
  go(): void
}

/** The real one: simulated code sees a replaced one. */
const turn = globalThis.setImmediate

/**
 * Simulated time, and everything that waits for it. One thing goes on at a time; then all microtasks run, and the seed decides what is next.
 * Nothing here reads a real clock, so a seed gives the same story every time.
 */
export class Scheduler {
  readonly #parked = new Set<Parked>()
  readonly random: Random
  readonly story: string[] = []
  now = START
  /** How many things have gone on. */
  steps = 0

  constructor(seed: number) {
    this.random = seeded(seed)
  }

  /** Lets something go on after a delay. Returns a function that cancels it. */
  park(owner: Machine | undefined, delayMs: number, go: () => void): () => void {
    const parked = { at: this.now + Math.max(0, Math.ceil(delayMs)), tie: this.random.next(), owner, go }
    this.#parked.add(parked)
    return () => void this.#parked.delete(parked)
  }

  /** Resolves after a delay, if the process is still alive then. */
  sleep(owner: Machine | undefined, delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.park(owner, delayMs, resolve))
  }

  /** Writes a line of the story. */
  tell(who: string, what: string): void {
    this.story.push(`${String(this.now - START).padStart(7)} ms  ${who.padEnd(10)} ${what}`)
  }

  /** Lets things go on, one after the other, until it is over or the time is reached. */
  async run(isOver: () => boolean, untilMs: number): Promise<void> {
    const end = START + untilMs
    await settle()
    while (!isOver()) {
      const next = this.#take()
      if (!next || next.at > end) return
      this.now = Math.max(this.now, next.at)
      if (next.owner && next.owner.frozenUntil > this.now) {
        this.#parked.add({ ...next, at: next.owner.frozenUntil })
        continue
      }
      this.steps += 1
      if (next.owner) next.owner.enter(() => next.go())
      else next.go()
      await settle()
    }
  }

  /** Removes what goes on next. What belongs to dead processes is gone. */
  #take(): Parked | undefined {
    let first: Parked | undefined
    for (const each of this.#parked) {
      if (each.owner && !each.owner.isAlive) this.#parked.delete(each)
      else if (!first || each.at < first.at || (each.at === first.at && each.tie < first.tie)) first = each
    }
    if (first) this.#parked.delete(first)
    return first
  }
}

/** All microtasks have run. */
function settle(): Promise<void> {
  return new Promise((resolve) => void turn(resolve))
}
