import assert from 'node:assert/strict'
import type { HilReply } from '../../protocol/hil/hil.ts'
import type { StreamsCase } from './streams-case.ts'
import { allIds, assertCode, idsOf, messagesOf, note, onSession, onTwoHandles, question } from './tools.ts'

/** Answering, taking replies and retracting. */
export const answerCases: readonly StreamsCase[] = [
  {
    name: 'an answered question is no longer open and its reply can be taken',
    guarantee: 'T3',
    run: (harness) =>
      onSession(harness, async (streams) => {
        for (const id of ['1', '2', '3']) await streams.send('s', question(id))
        assert.equal(await streams.answer('s', '2', { choice: 'b' }), 'answered')
        assert.deepEqual(await allIds(streams), ['1', '3'])
        assert.deepEqual(idsOf(await streams.pending('s')), ['1', '3'])
        const read = await streams.takeReply('s', '2', { waitMs: 0 })
        assert.deepEqual(read, { kind: 'reply', reply: { choice: 'b' } })
      }),
  },
  {
    name: 'a reply names its author, if the answer did',
    guarantee: 'T3',
    run: (harness) =>
      onSession(harness, async (streams) => {
        for (const id of ['1', '2']) await streams.send('s', question(id))
        assert.equal(await streams.answer('s', '1', 'yes', { by: 'bob ü' }), 'answered')
        assert.equal(await streams.answer('s', '2', 'yes'), 'answered')
        assert.deepEqual(await streams.takeReply('s', '1', { waitMs: 0 }), { kind: 'reply', reply: 'yes', by: 'bob ü' })
        assert.deepEqual(await streams.takeReply('s', '2', { waitMs: 0 }), { kind: 'reply', reply: 'yes' })
        await streams.send('s', question('3'))
        await streams.answer('s', '3', 'no', { by: 'bob', groups: ['finance', 'night shift ü'] })
        const third = await streams.takeReply('s', '3', { waitMs: 0 })
        assert.deepEqual(third, { kind: 'reply', reply: 'no', by: 'bob', groups: ['finance', 'night shift ü'] })
      }),
  },
  {
    name: 'a question is found by its id only while it is open',
    guarantee: 'T3',
    run: (harness) =>
      onSession(harness, async (streams) => {
        for (const id of ['1', '2', '3', '4']) await streams.send('s', question(id, { about: id }))
        await streams.send('s', note('n'))
        const [, second] = messagesOf(await streams.pending('s'))
        assert.deepEqual(await streams.question('s', '2'), { kind: 'question', question: second })
        await streams.answer('s', '1', 'yes')
        await streams.retract('s', '3')
        for (const id of ['1', '3', 'n', 'other', '', 'v', 'owner', 'q:2', '*']) {
          assert.deepEqual(await streams.question('s', id), { kind: 'unknown' }, `${id} is no open question`)
        }
        await streams.takeReply('s', '1', { waitMs: 0 })
        assert.deepEqual(await streams.question('s', '1'), { kind: 'unknown' })
        assert.deepEqual(await streams.question('s', '2'), { kind: 'question', question: second })
        assert.equal(await streams.answer('s', '2', 'yes'), 'answered')
      }),
  },
  {
    name: 'a second answer is refused, before and after the first was taken',
    guarantee: 'T3',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('q'))
        assert.equal(await streams.answer('s', 'q', 'first'), 'answered')
        assert.equal(await streams.answer('s', 'q', 'second'), 'unknown')
        assert.equal(await streams.answer('s', 'q', 'first'), 'unknown')
        assert.deepEqual(await streams.takeReply('s', 'q', { waitMs: 0 }), { kind: 'reply', reply: 'first' })
        assert.equal(await streams.answer('s', 'q', 'third'), 'unknown')
        assert.deepEqual(await streams.takeReply('s', 'q', { waitMs: 0 }), { kind: 'empty' })
      }),
  },
  {
    name: 'of many concurrent answers one wins, and its reply is taken',
    guarantee: 'T3',
    run: (harness) =>
      onSession(harness, async (streams) => {
        for (const id of ['1', '2', '3']) {
          await streams.send('s', question(id))
          const replies = Array.from({ length: 20 }, (_, n) => `reply ${n}`)
          const outcomes = await Promise.all(replies.map((reply) => streams.answer('s', id, reply)))
          const won = replies.filter((_, n) => outcomes[n] === 'answered')
          assert.equal(won.length, 1, `${won.length} answers were accepted`)
          assert.equal(outcomes.filter((outcome) => outcome === 'unknown').length, 19)
          assert.deepEqual(await streams.takeReply('s', id, { waitMs: 0 }), { kind: 'reply', reply: won[0] })
        }
      }),
  },
  {
    name: 'of concurrent answers through several handles one wins',
    guarantee: 'T3',
    run: (harness) =>
      onTwoHandles(harness, async (first, second) => {
        for (let round = 0; round < 20; round++) {
          const id = `q${round}`
          await first.send('s', question(id))
          const handles = [first, second, first, second]
          const outcomes = await Promise.all(handles.map((streams, n) => streams.answer('s', id, `${n}`)))
          const won = outcomes.flatMap((outcome, n) => (outcome === 'answered' ? [`${n}`] : []))
          assert.equal(won.length, 1)
          assert.deepEqual(await second.takeReply('s', id, { waitMs: 0 }), { kind: 'reply', reply: won[0] })
        }
      }),
  },
  {
    name: 'only questions can be answered, and only by their id',
    guarantee: 'T3',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', note('n'))
        await streams.send('s', question('q'))
        for (const id of ['n', 'other', '', 'v', 'owner', 'm:n', '*']) {
          assert.equal(await streams.answer('s', id, 'yes'), 'unknown')
        }
        assert.deepEqual(await allIds(streams), ['n', 'q'])
      }),
  },
  {
    name: 'an empty string and an empty object are replies',
    guarantee: 'T4',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const replies: HilReply[] = ['', {}, ' ', 'null', '0', { '': null }, { a: [{ b: '\u0000ü\u{1f600}' }] }]
        for (const [n, reply] of replies.entries()) {
          await streams.send('s', question(`q${n}`))
          const taking = streams.takeReply('s', `q${n}`, { waitMs: 5000 })
          assert.equal(await streams.answer('s', `q${n}`, reply), 'answered')
          assert.deepEqual(await taking, { kind: 'reply', reply })
        }
      }),
  },
  {
    name: 'an invalid reply is refused, and the question stays open',
    guarantee: 'T3',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('q'))
        for (const reply of [null, undefined, 1, true, ['a'], '\ud800', { n: Number.POSITIVE_INFINITY }]) {
          await assertCode(streams.answer('s', 'q', reply as unknown as HilReply), 'hil_content_invalid')
        }
        assert.deepEqual(await allIds(streams), ['q'])
      }),
  },
  {
    name: 'a reply is kept until it is taken, and is taken once',
    guarantee: 'T4',
    run: (harness) =>
      onSession(harness, async (streams) => {
        for (const id of ['1', '2', '3']) await streams.send('s', question(id))
        for (const id of ['3', '1', '2']) await streams.answer('s', id, `reply ${id}`)
        await streams.extend('s', { expireSeconds: 600 })
        for (const id of ['1', '2', '3']) {
          assert.deepEqual(await streams.takeReply('s', id, { waitMs: 0 }), { kind: 'reply', reply: `reply ${id}` })
          assert.deepEqual(await streams.takeReply('s', id, { waitMs: 0 }), { kind: 'empty' })
        }
      }),
  },
  {
    name: 'of many concurrent takers of a reply one gets it',
    guarantee: 'T4',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('q'))
        const takers = Array.from({ length: 10 }, () => streams.takeReply('s', 'q', { waitMs: 300 }))
        await streams.answer('s', 'q', 'yes')
        takers.push(...Array.from({ length: 10 }, () => streams.takeReply('s', 'q', { waitMs: 0 })))
        const reads = await Promise.all(takers)
        assert.equal(reads.filter((read) => read.kind === 'reply').length, 1)
        assert.equal(reads.filter((read) => read.kind === 'empty').length, 19)
      }),
  },
  {
    name: 'several askers on one session each get their own reply',
    guarantee: 'T4',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const ids = Array.from({ length: 20 }, (_, n) => `q${n}`)
        for (const id of ids) await streams.send('s', question(id))
        const taking = ids.map((id) => streams.takeReply('s', id, { waitMs: 5000 }))
        for (const id of [...ids].reverse()) await streams.answer('s', id, { to: id })
        assert.deepEqual(
          await Promise.all(taking),
          ids.map((id) => ({ kind: 'reply', reply: { to: id } })),
        )
      }),
  },
  {
    name: 'a retracted question is no longer open and cannot be answered',
    guarantee: 'T3',
    run: (harness) =>
      onSession(harness, async (streams) => {
        for (const id of ['1', '2']) await streams.send('s', question(id))
        assert.equal(await streams.retract('s', '1'), true)
        assert.equal(await streams.retract('s', '1'), false)
        assert.equal(await streams.retract('s', 'other'), false)
        assert.deepEqual(await allIds(streams), ['2'])
        assert.deepEqual(idsOf(await streams.pending('s')), ['2'])
        assert.equal(await streams.answer('s', '1', 'late'), 'unknown')
        assert.deepEqual(await streams.takeReply('s', '1', { waitMs: 0 }), { kind: 'empty' })
      }),
  },
  {
    name: 'an answered question cannot be retracted, and its reply stays',
    guarantee: 'T4',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('q'))
        await streams.answer('s', 'q', 'yes')
        assert.equal(await streams.retract('s', 'q'), false)
        assert.deepEqual(await streams.takeReply('s', 'q', { waitMs: 0 }), { kind: 'reply', reply: 'yes' })
        for (let round = 0; round < 30; round++) {
          const id = `q${round}`
          await streams.send('s', question(id))
          const [outcome, retracted] = await Promise.all([streams.answer('s', id, 'yes'), streams.retract('s', id)])
          const read = await streams.takeReply('s', id, { waitMs: 0 })
          assert.equal(outcome === 'answered', !retracted)
          assert.equal(read.kind, outcome === 'answered' ? 'reply' : 'empty')
        }
      }),
  },
]
