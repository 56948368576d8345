import { describe, expect, it } from 'vitest'
import { eachOf, runChild, tell } from './children.ts'
import { inScene, nameOf, runToEnd, type Scene, type Variant } from './killed.ts'
import type { Work } from './worker.js'

/**
 * G1, G2 and G6 when the process is killed with SIGKILL at a named point: before and after every append, inside the transaction that makes
 * it, and around the effect of every tool. One thread for each point; one later process finishes all of them.
 */
const BODY_MS = { lookup: 0, notify: 12, refund: 2 }
const AT_ONCE = 2
/** A dead holder's lease is taken over at once: some 40 threads are finished well before the 30 s that each was given for. */
const TAKEN_OVER_MS = 10_000

const variants: Variant[] = [
  { decision: 'approve', via: 'state', unknown: 'ask', onceMore: 'approve', durability: 'power', turns: 1 },
  { decision: 'approve', via: 'desk', unknown: 'retry', onceMore: 'respond', durability: 'process', turns: 1 },
  { decision: 'edit', via: 'desk', unknown: 'ask', onceMore: 'approve', durability: 'process', turns: 1 },
  { decision: 'edit', via: 'state', unknown: 'fail', onceMore: 'respond', durability: 'power', turns: 1 },
  { decision: 'reject', via: 'desk', unknown: 'ask', onceMore: 'reject', durability: 'power', turns: 1 },
  { decision: 'respond', via: 'state', unknown: 'ask', onceMore: 'respond', durability: 'process', turns: 1 },
]

describe('G1, G2, G6: a process that is killed at a named point', () => {
  it.each(variants.map((variant) => [nameOf(variant), variant] as const))(
    'loses nothing and repeats nothing: %s',
    async (_, variant) => {
      await inScene(variant, BODY_MS, async (scene) => {
        const points = await pointsOf(scene, scene.work(['dry']))
        expect(points.filter((point) => point.startsWith('before:')).length).toBeGreaterThanOrEqual(7)
        expect(points).toContain('store.append.written#1')
        const threads = points.map((_, index) => `killed-${index}`)
        await killEach(scene, points, threads)
        await finishAll(scene, threads)
        const unknown = await scene.verify(['dry', ...threads])
        expect(unknown).toBeGreaterThan(0)
        tell(`${points.length} kills, ${threads.length} threads, ${unknown} unknown outcomes: ${nameOf(variant)}`)
      })
    },
    180_000,
  )
})

const unknowns: Variant[] = [
  { decision: 'approve', via: 'state', unknown: 'ask', onceMore: 'approve', durability: 'process', turns: 1 },
  { decision: 'edit', via: 'desk', unknown: 'ask', onceMore: 'respond', durability: 'power', turns: 1 },
  { decision: 'edit', via: 'desk', unknown: 'retry', onceMore: 'reject', durability: 'process', turns: 1 },
  { decision: 'approve', via: 'state', unknown: 'fail', onceMore: 'approve', durability: 'process', turns: 1 },
]

describe('G2: a process that is killed while it deals with an unknown outcome', () => {
  it.each(unknowns.map((variant) => [nameOf(variant), variant] as const))(
    'acts as onUnknownOutcome says: %s',
    async (_, variant) => {
      await inScene(variant, BODY_MS, async (scene) => {
        await leaveUnknown(scene, ['dry'])
        const points = await pointsOf(scene, scene.work(['dry']))
        const threads = points.map((_, index) => `unknown-${index}`)
        await leaveUnknown(scene, threads)
        await killEach(scene, points, threads)
        await finishAll(scene, threads)
        const unknown = await scene.verify(['dry', ...threads])
        expect(unknown).toBeGreaterThanOrEqual(threads.length + 1)
        tell(
          `${points.length + 2} kills, ${threads.length + 1} threads, ${unknown} unknown outcomes: ${nameOf(variant)}`,
        )
      })
    },
    180_000,
  )
})

/** The points that a worker passes on its way to the end, in order. */
async function pointsOf(scene: Scene, work: Work): Promise<string[]> {
  await runToEnd({ ...work, tellPoints: true })
  return scene.log().flatMap((line) => (line.kind === 'point' ? [line.name] : []))
}

/** Kills one worker at each point, each with a thread of its own. */
async function killEach(scene: Scene, points: readonly string[], threads: readonly string[]): Promise<void> {
  await eachOf(points, AT_ONCE, async (killAt, index) => {
    const end = await runChild('crash/worker.js', scene.work([threads[index]!], { killAt }))
    expect(end, `killed at ${killAt}: ${end.stderr}`).toMatchObject({ killed: true })
  })
}

/** Leaves threads whose gated body took effect and never reported: all bodies hang, and the last one to get there is killed. */
async function leaveUnknown(scene: Scene, threads: string[]): Promise<void> {
  const work = scene.work(threads, { killAt: `body:refund:done#${threads.length}` })
  const cycle = { ...work.cycle, bodyMs: { ...BODY_MS, refund: 60_000 } }
  const end = await runChild('crash/worker.js', { ...work, cycle })
  expect(end, end.stderr).toMatchObject({ killed: true })
}

/** One process finishes all threads, and no lease of the dead keeps it waiting. */
async function finishAll(scene: Scene, threads: string[]): Promise<void> {
  await runToEnd(scene.work(threads))
  for (const line of scene.log()) if (line.kind === 'completed') expect(line.ms).toBeLessThan(TAKEN_OVER_MS)
}
