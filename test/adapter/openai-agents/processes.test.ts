import { describe, expect, test } from 'vitest'
import { erase, openDesk } from '../../../src/index.ts'
import { openaiGate } from '../../../src/openai-agents.ts'
import { inFiles } from '../../erasure/traces.ts'
import { usePlaces } from '../../support/stores/places.ts'
import { type Durable, decideAll, gateRecords, inDurable } from '../durable.ts'
import { done, gateOn, refundDesk, refunding, runner } from './desk.ts'

/** The agent in this process, over the store that the others have too. */
function deskOf({ store }: Durable, order = 'A-1') {
  const { agent, model } = refundDesk([[refunding('c1', order, 1999)], done, done])
  return { agent, model, desk: () => openaiGate(gateOn(store), { threadId: 'chat', runner }) }
}

describe.each(usePlaces())('agents of the OpenAI Agents SDK in several processes, with %s', (_name, place) => {
  const program = 'adapter/openai-agents/host.js'

  test('a process that is killed in a tool leaves an unknown outcome: a person is asked, and the tool does not run again', async () => {
    await inDurable(program, place, async (durable) => {
      const { store, run, lines } = durable
      const { agent, model, desk } = deskOf(durable)
      expect((await desk().run(agent, 'Pay A-1 back.')).interruptions.length).toBe(1)
      await decideAll(store, { type: 'approve' })
      expect(await run({ killed: true })).toMatchObject({ killed: true })
      expect((await desk().resume(agent))?.interruptions.length).toBe(1)
      const [request] = await decideAll(store, { type: 'respond', message: 'It was paid.' })
      expect(request?.reason).toBe('unknown_outcome')
      expect((await desk().resume(agent))?.finalOutput).toBe('Done.')
      expect(JSON.stringify(model.lastCall?.request.input)).toContain('It was paid.')
      expect(lines()).toEqual([{ ran: 'A-1' }])
    })
  })

  test('of two processes that resume at once, one runs the tool and both get its result', async () => {
    await inDurable(program, place, async (durable) => {
      const { store, run, lines } = durable
      const { agent, desk } = deskOf(durable)
      await desk().run(agent, 'Pay A-1 back.')
      await decideAll(store, { type: 'approve' })
      const startAt = Date.now() + 1500
      const ends = await Promise.all([run({ startAt }), run({ startAt })])
      expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(Array(2).fill([0, '']))
      expect(lines().filter(({ ran }) => ran)).toEqual([{ ran: 'A-1' }])
      const got = lines().flatMap((line) => (line.got && line.got.length > 0 ? [JSON.stringify(line.got)] : []))
      expect(got.length).toBeGreaterThan(0)
      for (const one of got) expect(one).toContain('1999 cents paid back for A-1')
    })
  })

  test('erasing a conversation erases its calls and the kept state of its run', async () => {
    await inDurable(program, place, async (durable) => {
      const { store, folder } = durable
      const { agent, desk } = deskOf(durable, 'SECRET-4711')
      await desk().run(agent, 'Pay SECRET-4711 back.')
      expect((await gateRecords(store)).join()).toContain('Pay SECRET-4711 back.')
      if (place(folder).startsWith(folder)) expect(inFiles(folder, 'SECRET-4711')).not.toEqual([])
      await erase(store, { threadId: 'chat', abort: true, by: 'dora', reason: 'she asked for it' })
      expect([inFiles(folder, 'SECRET-4711'), await gateRecords(store)]).toEqual([[], []])
      expect((await openDesk({ store }).list()).requests).toEqual([])
      expect(await desk().resume(agent)).toBeUndefined()
    })
  })
})
