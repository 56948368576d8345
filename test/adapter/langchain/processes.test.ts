import { describe, expect, test } from 'vitest'
import { erase, openDesk } from '../../../src/index.ts'
import { inFiles } from '../../erasure/traces.ts'
import { usePlaces } from '../../support/stores/places.ts'
import { type Durable, decideAll, gateRecords, inDurable } from '../durable.ts'
import { asked, chat, gated, refundDesk, refunding, results, resume, wake } from './desk.ts'
import { FileSaver } from './file-saver.js'

const start = { messages: [{ role: 'user', content: 'Pay A-1 back.' }] }

/** The agent in this process, over the checkpoints that the others have too. */
function agentOf({ store, checkpoints }: Durable, order = 'A-1') {
  return () => refundDesk([refunding('c1', order, 1999)]).agent(gated(store), undefined, new FileSaver(checkpoints))
}

describe.each(usePlaces())('agents of LangChain in several processes, with %s', (_name, place) => {
  const program = 'adapter/langchain/host.js'

  test('a process that is killed in a tool leaves an unknown outcome: a person is asked, and the tool does not run again', async () => {
    await inDurable(program, place, async (durable) => {
      const { store, run, lines } = durable
      const agent = agentOf(durable)
      expect(asked(await agent().invoke(start, chat)).length).toBe(1)
      await decideAll(store, { type: 'approve' })
      expect(await run({ killed: true })).toMatchObject({ killed: true })
      expect(asked(await agent().invoke(wake(), chat))[0]?.actions).toMatchObject([{ name: 'refund' }])
      const [request] = await decideAll(store, { type: 'respond', message: 'It was paid.' })
      expect(request?.reason).toBe('unknown_outcome')
      const ended = await agent().invoke(wake(), chat)
      expect([results(ended).map(({ content }) => content), lines()]).toEqual([['It was paid.'], [{ ran: 'A-1' }]])
    })
  })

  test('of two processes that resume at once, one runs the tool and both get its result', async () => {
    await inDurable(program, place, async (durable) => {
      const { store, run, lines } = durable
      await agentOf(durable)().invoke(start, chat)
      await decideAll(store, { type: 'approve' })
      const startAt = Date.now() + 1500
      const ends = await Promise.all([run({ startAt }), run({ startAt })])
      expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(Array(2).fill([0, '']))
      expect(lines().filter(({ ran }) => ran)).toEqual([{ ran: 'A-1' }])
      expect(lines().filter(({ got }) => got)).toEqual(Array(2).fill({ got: ['1999 cents paid back for A-1'] }))
    })
  })

  test('erasing a conversation erases its calls, and what was kept of its rounds', async () => {
    await inDurable(program, place, async (durable) => {
      const { store, folder } = durable
      const agent = agentOf(durable, 'SECRET-4711')
      await agent().invoke(start, chat)
      await agent().invoke(resume(), chat)
      const paused = await gateRecords(store)
      expect(paused.filter((record) => record.startsWith('gate-bookmark')).length).toBeGreaterThan(2)
      await agent().invoke(resume({ type: 'reject', message: 'SECRET-4711 is mine.' }), chat)
      if (place(folder).startsWith(folder)) expect(inFiles(folder, 'SECRET-4711')).not.toEqual([])
      await erase(store, { threadId: 'chat', by: 'dora', reason: 'she asked for it' })
      expect([inFiles(folder, 'SECRET-4711'), await gateRecords(store)]).toEqual([[], []])
      expect((await openDesk({ store }).list()).requests).toEqual([])
    })
  })
})
