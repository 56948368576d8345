import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROGRAMS } from '../../scripts/lib/programs.js'
import type { Store } from '../../src/ports/store.ts'
import { soak } from '../support/soak.ts'
import { inFolder } from '../support/stores/places.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { type ChildEnd, readLines, runChild, tell } from './support/children.ts'
import { type Disk, onDisks, whyNoDisks } from './support/disk.ts'
import { type Effect, type LogLine, verifyFinished } from './support/verify.ts'
import type { Work } from './support/worker.js'

/**
 * G1 and G2 when the power is cut: the store is on a disk of its own, the process is killed, and the next one finds the disk without what was not
 * synced. What tools did and what was promised is on another disk, which keeps everything.
 */
const strace = PROGRAMS.strace.find()
const eatmydata = PROGRAMS.eatmydata.find()
const noDisks = whyNoDisks()
const because = (reason: string | undefined) => (reason === undefined ? '' : ` (skipped: ${reason})`)

const choices = {
  shape: 'alone',
  decision: 'approve',
  via: 'desk',
  unknown: 'ask',
  onceMore: 'approve',
  turns: 1,
} as const
const threadId = 't'

/** A life that was killed, and what the next one finds after the power was cut. */
interface Cut {
  end: ChildEnd
  /** Appends that were acknowledged and are not there any more. */
  lost: string[]
}

/** Runs a cycle until it is killed, cuts the power, and runs it to its end from what is left, unless something is lost. */
function cutDuring(run: (work: Work, disk: Disk) => Promise<ChildEnd>): Promise<Cut> {
  return inFolder('power', (dir) =>
    onDisks(async (disk) => {
      const files = { log: join(dir, 'log'), effects: join(dir, 'effects') }
      const workOn = ({ folder }: Disk): Work => ({
        path: join(folder, 'store.db'),
        log: files.log,
        durability: 'power',
        threads: [threadId],
        cycle: { ...choices, effects: files.effects, bodyMs: { lookup: 0, notify: 0, refund: 0 } },
      })
      const end = await run({ ...workOn(disk), tellPoints: true }, disk)
      const left = disk.cutPower()
      const store = storeAt(workOn(left).path)
      try {
        const lost = await acknowledgedAndLost(store, readLines<LogLine>(files.log))
        if (lost.length > 0) return { end, lost }
        const rest = await runChild('crash/support/worker.js', workOn(left))
        expect(rest, rest.stderr).toMatchObject({ killed: false, code: 0 })
        const log = readLines<LogLine>(files.log).filter(({ kind }) => kind !== 'point')
        await verifyFinished({ store, threadId, effects: readLines<Effect>(files.effects), log, cycle: choices })
        return { end, lost }
      } finally {
        await store.close()
      }
    }),
  )
}

/** An append is named after its first entry, and numbered. */
async function acknowledgedAndLost(store: Store, log: readonly LogLine[]): Promise<string[]> {
  const { entries } = await store.read(threadId)
  const types = entries.map(({ body }) => (JSON.parse(body) as { type: string }).type)
  return log.flatMap((line) => {
    const [, type, count] = (line.kind === 'point' && /^after:(.+)#(\d+)$/.exec(line.name)) || []
    if (type === undefined || type === 'lease') return []
    return types.filter((each) => each === type).length < Number(count) ? [`${type} #${count}`] : []
  })
}

/** Kills the process at the n-th sync of the store's disk, before it is done. */
function killedAtSync(n: number): (work: Work, disk: Disk) => Promise<ChildEnd> {
  return (work, { folder }) => {
    const files = ['', 'store.db', 'store.db-wal', 'store.db-journal'].flatMap((name) => ['-P', join(folder, name)])
    const inject = ['fsync', 'fdatasync'].flatMap((call) => ['-e', `inject=${call}:signal=SIGKILL:when=${n}`])
    const args = ['-f', '-qq', '-o', '/dev/null', ...files, '-e', 'trace=fsync,fdatasync', ...inject]
    return runChild('crash/support/worker.js', work, { under: [strace!, ...args] })
  }
}

/** Every append of a cycle, right after it was acknowledged. */
const APPENDS = [
  'run.opened#1',
  'model.answered#1',
  'request.decided#1',
  'call.started#1',
  'call.finished#1',
  'model.answered#2',
]

describe('a power cut', () => {
  const reason = noDisks
  it.skipIf(reason).each(soak.sample(APPENDS, { part: 2, of: 6 }))(
    `right after an append was acknowledged takes nothing of it: %s${because(reason)}`,
    async (name) => {
      const { end, lost } = await cutDuring((work) =>
        runChild('crash/support/worker.js', { ...work, killAt: `after:${name}` }),
      )
      expect(end.killed, end.stderr).toBe(true)
      expect(lost).toEqual([])
    },
  )

  const noStrace = noDisks ?? (strace === undefined ? 'strace is not installed' : undefined)
  it.skipIf(noStrace)(
    `at every sync loses nothing that was acknowledged, and nothing runs twice${because(noStrace)}`,
    async () => {
      // The short form begins where tables have been made, and takes every fourth.
      let cuts = 0
      for (let n = soak.times(10, 1); ; n += soak.times(4, 1)) {
        const { end, lost } = await cutDuring(killedAtSync(n))
        expect(lost, `at sync ${n}`).toEqual([])
        if (!end.killed) {
          expect(end, end.stderr).toMatchObject({ code: 0 })
          break
        }
        cuts++
      }
      tell(`${cuts} cuts`)
      expect(cuts).toBeGreaterThanOrEqual(soak.times(2, 15))
    },
    soak.times(90_000, 600_000),
  )

  const noControl = noDisks ?? (eatmydata === undefined ? 'libeatmydata is not installed' : undefined)
  it.skipIf(noControl)(
    `loses acknowledged appends where fsync is a no-op, so the tests above can fail${because(noControl)}`,
    async () => {
      const env = { LD_PRELOAD: eatmydata! }
      const { end, lost } = await cutDuring((work) =>
        runChild('crash/support/worker.js', { ...work, killAt: 'after:request.decided#1' }, { env }),
      )
      expect(end.killed, end.stderr).toBe(true)
      expect(lost).toEqual(expect.arrayContaining(['run.opened #1', 'model.answered #1', 'request.decided #1']))
    },
  )
})
