import { expect } from 'vitest'
import { eachOf, runChild } from './children.ts'
import { runToEnd, type Scene } from './killed.ts'
import type { Work } from './worker.js'

const AT_ONCE = 2
/** A dead holder's lease is taken over at once: some 40 threads finish well before the 30 s that each lease lasts. */
const TAKEN_OVER_MS = 20_000

/** Bodies that end one after the other, so that every run passes the same points. */
export const BODY_MS = { lookup: 0, notify: 12, refund: 2 }

/** The points that a worker passes on its way to the end, in order. */
export async function pointsOf(scene: Scene, work: Work): Promise<string[]> {
  await runToEnd({ ...work, tellPoints: true })
  return scene.log().flatMap((line) => (line.kind === 'point' ? [line.name] : []))
}

/** How often a run may pass by its point before that counts. */
const TRIES = 4

/**
 * Kills one worker at each point, each with a thread of its own, and gives the threads that there are then. A busy machine may let two
 * bodies end at once, whose appends are then one: such a run passes fewer points and comes to its end, and another thread (`prepare`d) has to do.
 */
export async function killEach(
  scene: Scene,
  points: readonly string[],
  { threads, prepare }: { threads: readonly string[]; prepare?: (threads: string[]) => Promise<void> },
): Promise<string[]> {
  const all = await eachOf(points, AT_ONCE, async (killAt, index) => {
    const used = [threads[index]!]
    for (;;) {
      const end = await runChild('crash/support/worker.js', scene.work([used.at(-1)!], { killAt }))
      if (end.killed) return used
      expect(end, `killed at ${killAt}: ${end.stderr}`).toMatchObject({ code: 0 })
      expect(used.length, `${killAt} is never reached`).toBeLessThan(TRIES)
      used.push(`${threads[index]}-${used.length}`)
      await prepare?.(used.slice(-1))
    }
  })
  return all.flat()
}

/** One process finishes all threads, and no lease of the dead keeps it waiting. */
export async function finishAll(scene: Scene, threads: string[]): Promise<void> {
  await runToEnd(scene.work(threads))
  for (const line of scene.log()) if (line.kind === 'completed') expect(line.ms).toBeLessThan(TAKEN_OVER_MS)
}
