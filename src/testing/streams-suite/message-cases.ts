import assert from 'node:assert/strict'
import type { StreamMessage, StreamRead, Streams } from '../../ports/streams.ts'
import type { HilMessage } from '../../protocol/hil/hil.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { StreamsCase } from './streams-case.ts'
import { allIds, assertCode, idsOf, messagesOf, note, onSession, question } from './tools.ts'

/** JSON values that a careless backend would change. */
const STRANGE: JsonObject = JSON.parse(
  '{"__proto__":{"a":1},"constructor":"x","":"","null":null,"deep":[[[{"ü":"\\u0000\\u2028\\ud83d\\ude00"}]]],"n":[0,1e308,5e-324,-1.5],"b":[true,false],"e":{},"text":"\\r\\n\\"quoted\\" \\\\ {}*"}',
)

/** Sending and reading. */
export const messageCases: readonly StreamsCase[] = [
  {
    name: 'messages are read in order after a position, up to the limit',
    guarantee: 'T2',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const positions: string[] = []
        for (const id of ['1', '2', '3', '4']) positions.push(await streams.send('s', note(id)))
        assert.equal(new Set(positions).size, 4)
        assert.deepEqual(await allIds(streams), ['1', '2', '3', '4'])
        const all = messagesOf(await streams.read('s', { after: '0', limit: 9 }))
        assert.deepEqual(
          all.map(({ position }) => position),
          positions,
        )
        assert.deepEqual(idsOf(await streams.read('s', { after: '0' })), ['1'])
        assert.deepEqual(idsOf(await streams.read('s', { after: positions[1]!, limit: 1 })), ['3'])
        assert.deepEqual(idsOf(await streams.read('s', { after: positions[1]!, limit: 9 })), ['3', '4'])
        assert.deepEqual(await streams.read('s', { after: positions[3]!, limit: 9 }), { kind: 'empty' })
      }),
  },
  {
    name: 'reading by position returns each message once, also while more are sent',
    guarantee: 'T2',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const ids = Array.from({ length: 120 }, (_, n) => `m${n}`)
        const sending = Promise.all(ids.map((id) => streams.send('s', note(id))))
        const seen = await readOn(streams, ids.length)
        const positions = await sending
        assert.deepEqual([...seen.map(([id]) => id)].sort(), [...ids].sort())
        assert.deepEqual(new Map(seen), new Map(ids.map((id, n) => [id, positions[n]])))
      }),
  },
  {
    name: 'a removed message does not change the positions of the others',
    guarantee: 'T2',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const first = await streams.send('s', question('1'))
        const second = await streams.send('s', question('2'))
        await streams.send('s', question('3'))
        await streams.answer('s', '2', 'yes')
        assert.deepEqual(idsOf(await streams.read('s', { after: first, limit: 9 })), ['3'])
        assert.deepEqual(idsOf(await streams.read('s', { after: second, limit: 9 })), ['3'])
        await streams.answer('s', '3', 'yes')
        const last = await streams.send('s', note('4'))
        assert.deepEqual(messagesOf(await streams.read('s', { after: first, limit: 9 })), [
          { position: last, message: note('4') },
        ])
      }),
  },
  {
    name: 'messages arrive as they were sent, with all members and characters',
    guarantee: 'T2',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const asked = question('q', STRANGE)
        const body = { ...(asked.content.body as JsonObject), extra: { of: 'the body' } }
        const messages = [
          { ...asked, content: { source: 'agent_tool_call', body } } as HilMessage,
          { msg_id: 'n', msg_type: 'Notification', content: STRANGE } as HilMessage,
          { msg_id: '{}: *', msg_type: 'Notification', content: {} } as HilMessage,
        ]
        const texts = messages.map((message) => JSON.stringify(message))
        for (const message of messages) await streams.send('s', message)
        const read = messagesOf(await streams.read('s', { after: '0', limit: 9 }))
        assert.deepEqual(
          read.map((each) => JSON.stringify('message' in each ? each.message : each)),
          texts,
        )
      }),
  },
  {
    name: 'changes to a sent or read object do not reach other readers',
    guarantee: 'T2',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const sent = note('n')
        await streams.send('s', sent)
        ;(sent.content as JsonObject).text = 'changed'
        const [read] = messagesOf(await streams.read('s', { after: '0' }))
        assert.deepEqual((read as { message: HilMessage }).message, note('n'))
        ;((read as { message: HilMessage }).message.content as JsonObject).text = 'changed'
        const [again] = messagesOf(await streams.read('s', { after: '0' }))
        assert.deepEqual((again as { message: HilMessage }).message, note('n'))
      }),
  },
  {
    name: 'sending a message again stores it once',
    guarantee: 'T2',
    run: (harness) =>
      onSession(harness, async (streams) => {
        for (const message of [question('q'), note('n')]) {
          const position = await streams.send('s', message)
          assert.equal(await streams.send('s', message), position)
        }
        assert.deepEqual(await allIds(streams), ['q', 'n'])
        await streams.answer('s', 'q', 'yes')
        await streams.takeReply('s', 'q', { waitMs: 0 })
        await assertCode(streams.send('s', question('q')), 'hil_content_invalid')
        assert.deepEqual(await allIds(streams), ['n'])
      }),
  },
  {
    name: 'an invalid message, reply or position is refused, and nothing is stored',
    guarantee: 'T2',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const cycle: Record<string, unknown> = {}
        cycle.self = cycle
        const contents = [
          null,
          'text',
          [1],
          { n: Number.NaN },
          { f: () => 1 },
          { d: new Date(0) },
          { s: '\ud800' },
          cycle,
        ]
        for (const content of contents) {
          const message = { msg_id: 'n', msg_type: 'Notification', content } as unknown as HilMessage
          await assertCode(streams.send('s', message), 'hil_content_invalid')
        }
        const odd = [
          { ...question('q'), content: { source: 'me', body: {} } },
          { ...note('n'), msg_type: 'Other' },
        ]
        for (const message of odd) {
          await assertCode(streams.send('s', message as unknown as HilMessage), 'hil_content_invalid')
        }
        assert.deepEqual(await allIds(streams), [])
        for (const after of [
          '',
          '-1',
          'x',
          '1-',
          '1-2-3',
          ' 1',
          '1e3',
          '99999999999999999999',
          '0-99999999999999999999',
        ]) {
          await assertCode(streams.read('s', { after }), 'input_invalid')
        }
        const last = '18446744073709551615-18446744073709551615'
        for (const after of ['0-0', '1', last]) {
          assert.deepEqual(await streams.read('s', { after }), { kind: 'empty' })
        }
        await assertCode(streams.read('s', { after: '0', limit: 0 }), 'input_invalid')
      }),
  },
  {
    name: 'an undecodable message is reported as such, and reading continues after it',
    guarantee: 'T2',
    run: (harness) =>
      onSession(harness, async (streams) => {
        if (!harness.spoil) throw new Error('this harness has no spoil(): skip the case with a reason')
        await streams.send('s', note('before'))
        await harness.spoil(streams, 's')
        await streams.send('s', note('after'))
        const [first, spoilt, last, ...more] = messagesOf(await streams.read('s', { after: '0', limit: 9 }))
        assert.deepEqual(more, [])
        assert.deepEqual((first as { message: HilMessage }).message, note('before'))
        assert.equal(typeof (spoilt as { broken: string }).broken, 'string')
        assert.deepEqual((last as { message: HilMessage }).message, note('after'))
        assert.deepEqual(idsOf(await streams.read('s', { after: (spoilt as StreamMessage).position })), ['after'])
      }),
  },
  {
    name: 'reading removes nothing: the same position returns the same messages to every reader',
    guarantee: 'T5',
    run: (harness) =>
      onSession(harness, async (streams) => {
        for (const message of [question('1'), note('2'), question('3')]) await streams.send('s', message)
        const first = await streams.read('s', { after: '0', limit: 2 })
        assert.deepEqual(idsOf(first), ['1', '2'])
        const again = await Promise.all([1, 2, 3].map(() => streams.read('s', { after: '0', limit: 2 })))
        for (const read of again) assert.deepEqual(read, first)
        assert.deepEqual(await streams.read('s', { after: '0', limit: 2, waitMs: 1000 }), first)
        assert.deepEqual(idsOf(await streams.pending('s')), ['1', '3'])
        assert.deepEqual(idsOf(await streams.pending('s')), ['1', '3'])
      }),
  },
  {
    name: 'a read returns the owner of the messages, also after the session was reopened for another owner',
    guarantee: 'T2',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const ownerOf = (read: StreamRead) => (read.kind === 'messages' ? read.owner : assert.fail(read.kind))
        await streams.send('s', question('1'))
        assert.equal(ownerOf(await streams.read('s', { after: '0' })), 'ann')
        assert.equal(ownerOf(await streams.pending('s')), 'ann')
        await streams.close('s')
        await streams.open('s', { owner: 'bob', expireSeconds: 600 })
        const reading = streams.read('s', { after: '0', waitMs: 10_000 })
        await streams.send('s', question('2'))
        assert.equal(ownerOf(await reading), 'bob')
        assert.equal(ownerOf(await streams.pending('s')), 'bob')
      }),
  },
]

/** Reads messages one by one, waiting for each. */
async function readOn(streams: Streams, count: number): Promise<[id: string, position: string][]> {
  const seen: [string, string][] = []
  let after = '0'
  while (seen.length < count) {
    const read = await streams.read('s', { after, limit: 7, waitMs: 5000 })
    for (const each of messagesOf(read)) {
      seen.push(['message' in each ? each.message.msg_id : 'broken', each.position])
      after = each.position
    }
  }
  return seen
}
