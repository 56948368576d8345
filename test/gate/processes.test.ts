import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDesk, type Store } from '../../src/index.ts'
import { readLines, runChild } from '../crash/support/children.ts'
import { inFolder, usePlaces } from '../support/stores/places.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { ann, counted, gateOf, refund } from './gate.ts'

interface Line {
  ran?: string
  got?: string
  result?: unknown
  spent?: string
  status?: string
  states?: string[]
}

/** Calls at a place, and processes that work on them. */
async function inHosts(
  place: (folder: string) => string,
  act: (hosts: { store: Store; run(work: object): ReturnType<typeof runChild>; lines(): Line[] }) => Promise<void>,
): Promise<void> {
  await inFolder('gate', async (folder) => {
    const [path, log] = [place(folder), join(folder, 'log')]
    const store = storeAt(path, { durability: 'process' }) as unknown as Store
    try {
      const run = (work: object) => runChild('gate/host.js', { path, log, ...work })
      await act({ store, run, lines: () => readLines<Line>(log) })
    } finally {
      await store.close()
    }
  })
}

async function approveAll(store: Store): Promise<void> {
  const desk = openDesk({ store })
  for (const request of (await desk.list({ status: 'open' })).requests)
    await desk.decide({ request, decision: { type: 'approve' }, by: ann })
}

describe.each(usePlaces())('hosts in processes of their own, with %s', (_name, place) => {
  test('a call that was judged in a process that is gone is decided elsewhere and runs in a third', async () => {
    await inHosts(place, async ({ store, run, lines }) => {
      expect(await run({ does: 'judge', calls: [refund()] })).toMatchObject({ code: 0, stderr: '' })
      await approveAll(store)
      expect(await run({ does: 'execute', calls: [refund()] })).toMatchObject({ code: 0, stderr: '' })
      expect(await run({ does: 'execute', calls: [refund()] })).toMatchObject({ code: 0, stderr: '' })
      const [judged, ran, first, second, ...more] = lines()
      expect([judged?.states, ran?.ran, first?.got, more]).toEqual([['held'], 'call-1', 'call-1', []])
      expect(second).toEqual(first)
    })
  })

  test('a host that is killed between start and end leaves an unknown outcome, which a person is asked about', async () => {
    await inHosts(place, async ({ store, run, lines }) => {
      const gate = gateOf(store)
      await gate.judge([refund()])
      await approveAll(store)
      expect(await run({ does: 'execute', calls: [refund()], killed: true })).toMatchObject({ killed: true })
      const { runs, run: body } = counted()
      await expect(gate.execute(refund(), body)).rejects.toMatchObject({ code: 'outcome_unknown' })
      const [state] = await gate.judge([refund()])
      expect(state).toMatchObject({ status: 'unknown', request: { reason: 'unknown_outcome', status: 'open' } })
      expect(await gate.state(refund())).toEqual(state)
      await approveAll(store)
      await gate.execute(refund(), body)
      expect([runs.length, lines().map(({ ran }) => ran)]).toEqual([1, ['call-1']])
    })
  })

  test('of several processes that execute the same releases at once, one runs each and all get its result', async () => {
    await inHosts(place, async ({ store, run, lines }) => {
      const calls = ['a', 'b', 'c'].map((callId) => refund({ callId }))
      await gateOf(store).judge(calls)
      await approveAll(store)
      const startAt = Date.now() + 1500
      const ends = await Promise.all([1, 2, 3].map(() => run({ does: 'execute', calls, startAt })))
      expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(Array(3).fill([0, '']))
      expect(
        lines()
          .flatMap(({ ran }) => ran ?? [])
          .sort(),
      ).toEqual(['a', 'b', 'c'])
      for (const id of ['a', 'b', 'c']) {
        const results = lines().filter(({ got }) => got === id)
        expect([results.length, new Set(results.map(({ result }) => JSON.stringify(result))).size]).toEqual([3, 1])
      }
    })
  })
})
