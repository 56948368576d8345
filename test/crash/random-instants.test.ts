import { describe, expect, it } from 'vitest'
import { type Random, seeded } from '../support/random.ts'
import { soak } from '../support/soak.ts'
import { type Place, usePlaces } from '../support/stores/places.ts'
import { eachOf, runChild, tell } from './support/children.ts'
import { inScene, nameOf, runToEnd, type Variant } from './support/killed.ts'

/**
 * G1, G2 and G6 when processes that drive many threads at once are killed by somebody else at instants that nobody chose, again and again.
 * `HOLDPOINT_CRASH_SEED=<seed>` repeats one scene.
 */
const ONLY = process.env.HOLDPOINT_CRASH_SEED
const KILLS = soak.times(5, 8)
const THREADS = 10
const STAGGER_MS = 6

describe.each(usePlaces())('G1, G2, G6: processes that are killed at random instants, with %s', (store, place) => {
  it(
    'lose nothing and repeat nothing',
    async () => {
      const scenes = store === 'SQLite' ? soak.seeds(1, 30) : soak.seeds(1, 10)
      const seeds = ONLY === undefined ? scenes : [Number(ONLY)]
      const longestMs = await measure(place, seeds[0]!)
      tell(`${store}: kills within ${Math.round(longestMs)} ms, seeds from ${seeds[0]}`)
      const checked = await eachOf(seeds, 2, async (seed) => {
        try {
          return await playScene(seed, { place, longestMs })
        } catch (error) {
          throw new Error(`The scene of seed ${seed} failed; HOLDPOINT_CRASH_SEED=${seed} repeats it.`, {
            cause: error,
          })
        }
      })
      const threads = checked.reduce((sum, count) => sum + count, 0)
      tell(
        `${store}: ${seeds.length * KILLS} kills at random instants, ${threads} threads checked, seeds from ${seeds[0]}`,
      )
    },
    soak.times(300_000, 900_000),
  )
})

/** How long a worker takes here and now from its first word to its end, in the company of others. */
async function measure(place: Place, seed: number): Promise<number> {
  const variant = randomVariant(seeded(seed))
  const times = await eachOf([1, 2], 2, () =>
    inScene({ variant, place, bodyMs: { lookup: 5, notify: 15, refund: 10 } }, async (scene) => {
      const threads = Array.from({ length: THREADS }, (_, index) => `thread-${index}`)
      const end = await runChild('crash/support/worker.js', scene.work(threads, { staggerMs: STAGGER_MS }))
      expect(end, end.stderr).toMatchObject({ code: 0 })
      return end.ms
    }),
  )
  return Math.min(...times)
}

/** Kills workers that drive ten threads each, until there were enough kills, and checks every thread. Returns how many. */
async function playScene(seed: number, { place, longestMs }: { place: Place; longestMs: number }): Promise<number> {
  const random = seeded(seed)
  const variant = randomVariant(random)
  const bodyMs = { lookup: random.upTo(10), notify: random.upTo(30), refund: random.upTo(20) }
  return inScene({ variant, place, bodyMs }, async (scene) => {
    const batch = (number: number) => Array.from({ length: THREADS }, (_, index) => `thread-${number}-${index}`)
    let batches = 1
    for (let killed = 0; killed < KILLS; ) {
      const work = scene.work(batch(batches), { staggerMs: STAGGER_MS })
      const end = await runChild('crash/support/worker.js', work, { killAfterMs: random.upTo(longestMs) })
      if (end.killed) killed += 1
      else {
        // It was faster than its killer: go on with fresh threads.
        expect(end, end.stderr).toMatchObject({ code: 0 })
        batches += 1
      }
    }
    const threads = Array.from({ length: batches }, (_, index) => batch(index + 1)).flat()
    await runToEnd(scene.work(threads))
    const unknown = await scene.verify(threads)
    tell(`seed ${seed}: ${KILLS} kills, ${threads.length} threads, ${unknown} unknown outcomes: ${nameOf(variant)}`)
    return threads.length
  })
}

function randomVariant(random: Random): Variant {
  return {
    shape: random.pick(['alone', 'alone', 'nested', 'handoff']),
    decision: random.pick(['approve', 'approve', 'edit', 'reject', 'respond']),
    via: random.pick(['state', 'desk']),
    unknown: random.pick(['ask', 'retry', 'fail']),
    onceMore: random.pick(['approve', 'respond', 'reject']),
    durability: random.pick(['power', 'process']),
    turns: 2,
  }
}
