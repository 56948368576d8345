import { join } from 'node:path'
import { expect } from 'vitest'
import { inFolder, type Place } from '../../support/stores/places.ts'
import { storeAt } from '../../support/stores/stored-at.js'
import { readLines, runChild } from './children.ts'
import type { Cycle } from './cycle.js'
import { type Effect, type LogLine, verifyFinished } from './verify.ts'
import type { Work } from './worker.js'

/** One way to go through the approve cycle. */
export type Variant = Pick<Cycle, 'unknown' | 'decision' | 'onceMore' | 'via' | 'turns' | 'shape'> &
  Pick<Work, 'durability'>

/** A folder with a store, the effects of tools and what workers logged; gone when its work is done. */
export interface Scene {
  work(threads: string[], more?: Partial<Work>): Work
  /** Asserts everything about threads that are finished. Returns how many unknown outcomes they had. */
  verify(threads: readonly string[]): Promise<number>
  log(): LogLine[]
}

/** What a scene is set with. */
export interface Setting {
  variant: Variant
  place: Place
  bodyMs: Cycle['bodyMs']
}

/** Works in a folder of its own. */
export function inScene<T>({ variant, place, bodyMs }: Setting, act: (scene: Scene) => Promise<T>): Promise<T> {
  return inFolder('crash', (dir) => {
    const { durability, ...choices } = variant
    const path = place(dir)
    const files = { log: join(dir, 'log'), effects: join(dir, 'effects') }
    const cycle: Cycle = { ...choices, bodyMs, effects: files.effects }
    return act({
      work: (threads, more = {}) => ({ path, log: files.log, durability, threads, cycle, ...more }),
      log: () => readLines<LogLine>(files.log),
      async verify(threads) {
        const log = readLines<LogLine>(files.log)
        const effects = readLines<Effect>(files.effects)
        const store = storeAt(path)
        let unknown = 0
        try {
          for (const threadId of threads) {
            const ofThread = (line: { threadId: string }) => line.threadId === threadId
            unknown += await verifyFinished({
              store,
              threadId,
              effects: effects.filter(ofThread),
              log: log.filter(ofThread),
              cycle: choices,
            })
          }
        } finally {
          await store.close()
        }
        return unknown
      },
    })
  })
}

/** Lets a worker run to its end. */
export async function runToEnd(work: Work): Promise<void> {
  const end = await runChild('crash/support/worker.js', work)
  expect(end, end.stderr).toMatchObject({ killed: false, code: 0 })
}

/** A variant in words. */
export function nameOf({ shape, decision, via, unknown, onceMore, durability, turns }: Variant): string {
  const who = shape === 'alone' ? '' : `${shape}, `
  return `${who}${decision} through the ${via}, unknown outcomes ${unknown} (then ${onceMore}), ${durability}, ${turns} turn(s)`
}
