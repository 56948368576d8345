import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamMessage, StreamRead, Streams } from '../../ports/streams.ts'
import { HoldpointError } from '../../protocol/errors/errors.ts'
import type { HilMessage } from '../../protocol/hil/hil.ts'
import type { StreamsHarness } from './streams-case.ts'

/** Runs a check on fresh streams with one session, `s`, owned by `ann`. */
export async function onSession(
  harness: StreamsHarness,
  check: (streams: Streams) => Promise<void>,
  expireSeconds = 600,
): Promise<void> {
  await onStreams(harness, async (streams) => {
    await streams.open('s', { owner: 'ann', expireSeconds })
    await check(streams)
  })
}

/** Runs a check on fresh streams without a session. */
export async function onStreams(harness: StreamsHarness, check: (streams: Streams) => Promise<void>): Promise<void> {
  const streams = await harness.create()
  try {
    await check(streams)
  } finally {
    await streams.shutdown()
  }
}

/** Runs a check on two handles of the same sessions. Session `s` is open. */
export async function onTwoHandles(
  harness: StreamsHarness,
  check: (first: Streams, second: Streams) => Promise<void>,
): Promise<void> {
  await onSession(harness, async (first) => {
    if (!harness.reopen) {
      throw new Error('this harness has no reopen(): skip the case with a reason if there is one process only')
    }
    const second = await harness.reopen(first)
    try {
      await check(first, second)
    } finally {
      await second.shutdown()
    }
  })
}

/** A question with a recognisable id. */
export function question(id: string, detail: HilQuestionDetail = null): HilMessage {
  const body = { tool_name: 'pick', type: 'ChoiceForm', tool_exec_uuid: id, detail }
  return { msg_id: id, msg_type: 'HIL_interrupt_request', content: { source: 'agent_tool_call', body } }
}

type HilQuestionDetail = Extract<HilMessage, { msg_type: 'HIL_interrupt_request' }>['content']['body']['detail']

export function note(id: string): HilMessage {
  return { msg_id: id, msg_type: 'Notification', content: { text: id } }
}

/** The messages of a read. Fails if there are none. */
export function messagesOf(read: StreamRead): StreamMessage[] {
  assert.equal(read.kind, 'messages', `nothing was read: ${read.kind}`)
  return (read as Extract<StreamRead, { kind: 'messages' }>).messages
}

/** The ids of messages. Fails for a broken one. */
export function idsOf(read: StreamRead): string[] {
  return messagesOf(read).map((each) => ('message' in each ? each.message.msg_id : assert.fail(each.broken)))
}

/** The ids of all messages of a session. */
export async function allIds(streams: Streams, session = 's'): Promise<string[]> {
  const read = await streams.read(session, { after: '0', limit: 10_000 })
  return read.kind === 'empty' ? [] : idsOf(read)
}

/** Fails if any call finds the session. */
export async function assertGone(streams: Streams, session: string): Promise<void> {
  assert.deepEqual(await streams.read(session, { after: '0' }), { kind: 'missing' })
  assert.deepEqual(await streams.read(session, { after: '0', waitMs: 60_000 }), { kind: 'missing' })
  assert.deepEqual(await streams.pending(session), { kind: 'missing' })
  assert.deepEqual(await streams.question(session, 'q'), { kind: 'missing' })
  assert.deepEqual(await streams.takeReply(session, 'q', { waitMs: 60_000 }), { kind: 'missing' })
  assert.equal(await streams.answer(session, 'q', 'yes'), 'missing')
  assert.equal(await streams.retract(session, 'q'), false)
  assert.equal(await streams.extend(session, { expireSeconds: 600 }), false)
  assert.equal(await streams.describe(session), undefined)
  await assertCode(streams.send(session, note('late')), 'hil_stream_missing')
  assert.equal(await streams.close(session), false)
}

/** Fails unless a call is rejected with this code. */
export async function assertCode(call: Promise<unknown>, code: string): Promise<void> {
  const thrown = await call.then(
    () => assert.fail(`it was accepted, and not refused with ${code}`),
    (error: unknown) => error,
  )
  if (thrown instanceof assert.AssertionError) throw thrown
  assert.ok(HoldpointError.isInstance(thrown), `not an error of this package: ${String(thrown)}`)
  assert.equal(thrown.code, code)
}

/** Waits until a condition holds. */
export async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 10_000
  while (!(await holds())) {
    if (performance.now() > end) throw new assert.AssertionError({ message: `it never came: ${what}` })
    await sleep(10)
  }
}
