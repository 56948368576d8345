import * as ai from 'ai'
import { describe, expect, test } from 'vitest'
import { openDesk, type Store } from '../../../src/index.ts'
import { adapterConformance } from '../../../src/testing.ts'
import { readLines, runChild } from '../../crash/support/children.ts'
import { describeAdapter } from '../../gate/adapters/describe-adapter.ts'
import { durablePlaces } from '../../gate/adapters/durable.ts'
import { soak } from '../../support/soak.ts'
import { inFolder, usePlaces } from '../../support/stores/places.ts'
import { storeAt } from '../../support/stores/stored-at.js'
import { aiSdkHarness } from './harness.ts'
import { ann, type Sdk } from './host.ts'

for (const [part, [name, openStore]] of durablePlaces().entries()) {
  const harness = { ...aiSdkHarness(ai as unknown as Sdk, 'streamText'), openStore }
  describeAdapter(`aiSdkGate on ${name}`, harness, soak.sample(adapterConformance, { part, of: 4 }))
}

/** What a process has done. */
interface Line {
  ran?: number
  states?: string[]
  text?: string
}

async function decideAll(store: Store, type: 'approve' | 'respond'): Promise<(string | undefined)[]> {
  const desk = openDesk({ store })
  const { requests } = await desk.list({ status: 'open' })
  const decision = type === 'approve' ? { type } : { type, message: 'It was paid.' }
  for (const request of requests) await desk.decide({ request, decision, by: ann })
  return requests.map(({ reason }) => reason)
}

describe.each(usePlaces())('streamText in processes of its own, with %s', (_name, place) => {
  test('a process that is killed inside of a tool leaves a question, and no other process runs the tool again', async () => {
    await inFolder('ai-sdk', async (folder) => {
      const [path, log, chat] = [place(folder), `${folder}/log`, `${folder}/chat.json`]
      const store = storeAt(path, { durability: 'process' }) as unknown as Store
      const post = (more = {}) => runChild('adapter/ai-sdk-gate/host.js', { path, log, chat, ...more })
      const last = () => readLines<Line>(log).at(-1)
      try {
        expect(await post()).toMatchObject({ code: 0, stderr: '' })
        expect(last()?.states).toEqual(['approval-requested'])
        expect(await decideAll(store, 'approve')).toEqual([undefined])
        expect(await post({ killed: true })).toMatchObject({ killed: true })
        expect(last()).toEqual({ ran: 1999 })
        // The dead process holds its lease for a while: until then nobody can say that it is dead.
        let reasons: (string | undefined)[] = []
        for (const end = Date.now() + 120_000; reasons.length === 0 && Date.now() < end; ) {
          expect(await post()).toMatchObject({ code: 0, stderr: '' })
          expect(last()?.states).not.toContain('output-available')
          reasons = await decideAll(store, 'respond')
        }
        expect(reasons).toEqual(['unknown_outcome'])
        expect(await post()).toMatchObject({ code: 0, stderr: '' })
        expect(last()?.text).toContain('It was paid.')
        expect(readLines<Line>(log).filter(({ ran }) => ran !== undefined)).toHaveLength(1)
      } finally {
        await store.close()
      }
    })
  })
})
