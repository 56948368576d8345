import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { soak } from '../support/soak.ts'
import { tell } from './support/children.ts'
import { inScene, nameOf, type Variant } from './support/killed.ts'
import { BODY_MS, finishAll, killEach, pointsOf } from './support/points.ts'

/**
 * G1, G2 and G6 when the killed process was running an agent inside another one, or had just handed the conversation over: nothing that was
 * decided on either level is asked again, no body runs twice on a release, and the nested run goes on in the middle instead of beginning anew.
 */
const variants: Variant[] = [
  {
    shape: 'nested',
    decision: 'edit',
    via: 'desk',
    unknown: 'ask',
    onceMore: 'approve',
    durability: 'process',
    turns: 1,
  },
  {
    shape: 'handoff',
    decision: 'approve',
    via: 'state',
    unknown: 'retry',
    onceMore: 'approve',
    durability: 'process',
    turns: 1,
  },
]

const place = (folder: string): string => join(folder, 'store.db')

describe('G1, G2, G6: a process that is killed while agents work together', () => {
  it.each(variants.map((variant, part) => [nameOf(variant), variant, part] as const))(
    'loses nothing and repeats nothing: %s',
    async (_, variant, part) => {
      await inScene({ variant, place, bodyMs: BODY_MS }, async (scene) => {
        const points = soak.sample(await pointsOf(scene, scene.work(['dry'])), { part, of: 6 })
        const threads = await killEach(scene, points, { threads: points.map((_, index) => `killed-${index}`) })
        await finishAll(scene, threads)
        const unknown = await scene.verify(['dry', ...threads])
        expect(unknown).toBeGreaterThan(0)
        tell(`${points.length} kills, ${threads.length} threads, ${unknown} unknown outcomes: ${nameOf(variant)}`)
      })
    },
    300_000,
  )
})
