import { describe, expect, it } from 'vitest'
import { soak } from '../support/soak.ts'
import { usePlaces } from '../support/stores/places.ts'
import { runChild, tell } from './support/children.ts'
import { inScene, nameOf, type Scene, type Variant } from './support/killed.ts'
import { BODY_MS, finishAll, killEach, pointsOf } from './support/points.ts'

/**
 * G2 when a process was killed inside a gated body, and the next one is killed at each point of what it does about that: it asks, retries or
 * gives up as the tool says, and never runs the body on the release that was spent. In the short form each variant has one
 * of the stores, and the variants together are killed at all points.
 */
const unknowns: Variant[] = [
  {
    shape: 'alone',
    decision: 'approve',
    via: 'state',
    unknown: 'ask',
    onceMore: 'approve',
    durability: 'process',
    turns: 1,
  },
  { shape: 'alone', decision: 'edit', via: 'desk', unknown: 'ask', onceMore: 'respond', durability: 'power', turns: 1 },
  {
    shape: 'alone',
    decision: 'edit',
    via: 'desk',
    unknown: 'retry',
    onceMore: 'reject',
    durability: 'process',
    turns: 1,
  },
  {
    shape: 'alone',
    decision: 'approve',
    via: 'state',
    unknown: 'fail',
    onceMore: 'approve',
    durability: 'process',
    turns: 1,
  },
]

describe.each(usePlaces())(
  'G2: a process that is killed while it deals with an unknown outcome, with %s',
  (store, place) => {
    const cases = unknowns.map((variant, part) => [nameOf(variant), variant, part] as const)
    it.each(soak.sample(cases, { part: store === 'SQLite' ? 0 : 1, of: 2 }))(
      'acts as onUnknownOutcome says: %s',
      async (_, variant, part) => {
        await inScene({ variant, place, bodyMs: BODY_MS }, async (scene) => {
          await leaveUnknown(scene, ['dry'])
          const all = await pointsOf(scene, scene.work(['dry']))
          const points = soak.sample(all, { part, of: unknowns.length })
          const left = points.map((_, index) => `unknown-${index}`)
          const prepare = (threads: string[]) => leaveUnknown(scene, threads)
          await prepare(left)
          const threads = await killEach(scene, points, { threads: left, prepare })
          await finishAll(scene, threads)
          const unknown = await scene.verify(['dry', ...threads])
          expect(unknown).toBeGreaterThanOrEqual(threads.length + 1)
          tell(
            `${points.length + 2} kills, ${threads.length + 1} threads, ${unknown} unknown outcomes: ${store}, ${nameOf(variant)}`,
          )
        })
      },
      300_000,
    )
  },
)

/** Leaves threads whose gated body took effect and never reported: all bodies hang, and the last one to get there is killed. */
async function leaveUnknown(scene: Scene, threads: string[]): Promise<void> {
  const work = scene.work(threads, { killAt: `body:refund:done#${threads.length}` })
  const cycle = { ...work.cycle, bodyMs: { ...BODY_MS, refund: 60_000 } }
  const end = await runChild('crash/support/worker.js', { ...work, cycle })
  expect(end, end.stderr).toMatchObject({ killed: true })
}
