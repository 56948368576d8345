import assert from 'node:assert/strict'
import type { Streams } from '../../ports/streams.ts'
import type { StreamsCase } from './streams-case.ts'
import { allIds, note, onSession, question } from './tools.ts'

/** The default number of kept notifications. */
const KEPT = 1000

async function sendNotes(streams: Streams, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 100) {
    const ids = Array.from({ length: Math.min(100, to - n) }, (_, i) => `n${n + i}`)
    await Promise.all(ids.map((id) => streams.send('s', note(id))))
  }
}

/** How much of a session is kept. */
export const keepingCases: readonly StreamsCase[] = [
  {
    name: 'the last thousand notifications are kept, and every question',
    guarantee: 'T8',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('first'))
        await sendNotes(streams, 0, 600)
        await streams.send('s', question('middle'))
        await sendNotes(streams, 600, KEPT + 50)
        const ids = await allIds(streams)
        assert.equal(ids.filter((id) => id.startsWith('n')).length, KEPT)
        assert.ok(!ids.includes('n0') && ids.includes(`n${KEPT + 49}`), 'others than the oldest were dropped')
        assert.deepEqual(
          ids.filter((id) => !id.startsWith('n')),
          ['first', 'middle'],
        )
        assert.equal(await streams.answer('s', 'first', 'yes', { notice: note('over') }), 'answered')
        assert.equal((await allIds(streams)).filter((id) => id !== 'middle').length, KEPT)
      }),
  },
  {
    name: 'a read from a position before dropped notifications reports the gap',
    guarantee: 'T8',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const start = await streams.send('s', note('start'))
        await sendNotes(streams, 0, 10)
        const whole = await streams.read('s', { after: start, limit: 5 })
        assert.ok(whole.kind === 'messages' && whole.gap === undefined, 'nothing was dropped yet')
        await sendNotes(streams, 10, KEPT + 20)
        const cut = await streams.read('s', { after: start, limit: 5 })
        assert.ok(cut.kind === 'messages' && cut.gap === true, 'a gap was not told')
        const after = cut.messages.at(-1)!.position
        const onwards = await streams.read('s', { after, limit: 5 })
        assert.ok(onwards.kind === 'messages' && onwards.gap === undefined, 'the gap was told again')
      }),
  },
]
