import { join } from 'node:path'
import { type Decision, type HitlRequest, openDesk, type Store } from '../../src/index.ts'
import { allRecords } from '../../src/ports/records.ts'
import { type Program, readLines, runChild } from '../crash/support/children.ts'
import { inFolder, type Place } from '../support/stores/places.ts'
import { storeAt } from '../support/stores/stored-at.js'

interface Line {
  ran?: string
  got?: unknown[]
}

/** A store at a place, and processes with agents over it. */
export interface Durable {
  readonly store: Store
  /** Where the store's files are, if it has some. */
  readonly folder: string
  readonly checkpoints: string
  /** Runs the program. */
  run(work?: object): ReturnType<typeof runChild>
  lines(): Line[]
}

/** Works with a store that other processes open too. */
export async function inDurable(
  program: Program,
  place: Place,
  act: (durable: Durable) => Promise<void>,
): Promise<void> {
  await inFolder('adapter', (folder) =>
    inFolder('adapter-host', async (beside) => {
      const [path, log, checkpoints] = [place(folder), join(beside, 'log'), join(beside, 'checkpoints')]
      const store = storeAt(path, { durability: 'process' }) as unknown as Store
      try {
        const run = (work: object = {}) => runChild(program, { path, log, checkpoints, ...work })
        await act({ store, folder, checkpoints, run, lines: () => readLines<Line>(log) })
      } finally {
        await store.close()
      }
    }),
  )
}

/** Decides all open requests at a desk of another process. */
export async function decideAll(store: Store, decision: Decision): Promise<HitlRequest[]> {
  const desk = openDesk({ store })
  const { requests } = await desk.list({ status: 'open' })
  for (const request of requests) await desk.decide({ request, decision, by: 'ann' })
  return requests
}

/** All records that gates keep beside journals. */
export async function gateRecords(store: Store): Promise<string[]> {
  const found: string[] = []
  for (const kind of ['gate-bookmark', 'gate-call', 'gate-wake', 'gate-handed-over'])
    for await (const { id, value } of allRecords(store, { kind })) found.push(`${kind} ${id} ${value}`)
  return found
}
