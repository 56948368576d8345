import { describe, expect, it } from 'vitest'
import { soak } from '../support/soak.ts'
import { usePlaces } from '../support/stores/places.ts'
import { tell } from './support/children.ts'
import { inScene, nameOf, type Variant } from './support/killed.ts'
import { BODY_MS, finishAll, killEach, pointsOf } from './support/points.ts'
import { verifyQuiet, verifyWoken } from './support/woken.ts'

/**
 * G1, G2 and G6 when the process is killed with SIGKILL at a named point: before and after every append, inside the transaction that makes
 * it, and around the effect of every tool. One thread for each point; one later process finishes all of them. In the short form each variant is
 * killed at every sixth point, with one store or the other, and the six variants together at all. Whatever a kill leaves undone, the store finds by itself (K1).
 */
const variants: Variant[] = [
  {
    shape: 'alone',
    decision: 'approve',
    via: 'state',
    unknown: 'ask',
    onceMore: 'approve',
    durability: 'power',
    turns: 1,
  },
  {
    shape: 'alone',
    decision: 'approve',
    via: 'desk',
    unknown: 'retry',
    onceMore: 'respond',
    durability: 'process',
    turns: 1,
  },
  {
    shape: 'alone',
    decision: 'edit',
    via: 'desk',
    unknown: 'ask',
    onceMore: 'approve',
    durability: 'process',
    turns: 1,
  },
  {
    shape: 'alone',
    decision: 'edit',
    via: 'state',
    unknown: 'fail',
    onceMore: 'respond',
    durability: 'power',
    turns: 1,
  },
  {
    shape: 'alone',
    decision: 'reject',
    via: 'desk',
    unknown: 'ask',
    onceMore: 'reject',
    durability: 'power',
    turns: 1,
  },
  {
    shape: 'alone',
    decision: 'respond',
    via: 'state',
    unknown: 'ask',
    onceMore: 'respond',
    durability: 'process',
    turns: 1,
  },
]

describe.each(usePlaces())('G1, G2, G6: a process that is killed at a named point, with %s', (store, place) => {
  const cases = variants.map((variant, part) => [nameOf(variant), variant, part] as const)
  it.each(soak.sample(cases, { part: store === 'SQLite' ? 0 : 1, of: 2 }))(
    'loses nothing and repeats nothing: %s',
    async (_, variant, part) => {
      await inScene({ variant, place, bodyMs: BODY_MS }, async (scene) => {
        const all = await pointsOf(scene, scene.work(['dry']))
        expect(all.filter((point) => point.startsWith('before:')).length).toBeGreaterThanOrEqual(7)
        expect(all).toContain('store.append.written#1')
        const points = soak.sample(all, { part, of: variants.length })
        const threads = await killEach(scene, points, { threads: points.map((_, index) => `killed-${index}`) })
        const { path } = scene.work(threads)
        expect(await verifyWoken(path, threads)).toBeGreaterThan(0)
        await finishAll(scene, threads)
        await verifyQuiet(path, ['dry', ...threads])
        const unknown = await scene.verify(['dry', ...threads])
        expect(unknown).toBeGreaterThan(0)
        tell(
          `${points.length} kills, ${threads.length} threads, ${unknown} unknown outcomes: ${store}, ${nameOf(variant)}`,
        )
      })
    },
    300_000,
  )
})
