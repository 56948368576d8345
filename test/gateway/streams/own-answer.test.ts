import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Streams } from '../../../src/ports/streams.ts'
import type { HilMessage } from '../../../src/protocol/hil/hil.ts'
import { redisStreams } from '../../../src/redis.ts'
import { placeOf } from '../../../src/streams/redis/place.ts'
import { ANSWER_OWN } from '../../../src/streams/redis/scripts.ts'
import { post, served, sessionOf, tokenOf } from '../../support/gateway/served-gateway.ts'
import { note, question } from '../../support/gateway/stream-messages.ts'
import { type RedisServer, startRedis } from '../../support/servers/redis-server.ts'
import { soak } from '../../support/soak.ts'

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.remove())

function connected(options: { maxNotifications?: number } = {}): Streams {
  const streams = redisStreams({ url: redis.url, ...options })
  onTestFinished(() => streams.shutdown())
  return streams
}

/** Streams as anybody may make them: an owner's answer takes a look and then an answer. */
function inTwoSteps(streams: Streams): Streams {
  const { answerOwn: _left, ...others } = streams
  return { ...others, tenant: (id) => inTwoSteps(streams.tenant(id)) }
}

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('pick', '', 'a/b', '"', '\\', '\u0000\u001f\u007f', '\u2028', '😀', '</script>', '$1', '%s', '%1'),
)
/** As it is sent: -0 is refused. */
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const bodies = fc.record(
  {
    tool_name: texts,
    type: fc.oneof(texts, fc.constantFrom('ChoiceForm', 'RemoteToolProgress', 'HoldpointApprove')),
    tool_exec_uuid: texts,
    detail: fc.oneof(json, fc.constant('x'.repeat(5000)), fc.constant(null)),
    more: json,
  },
  { requiredKeys: ['tool_name', 'type', 'tool_exec_uuid', 'detail'] },
)
/** What is told about a question beside its content. */
const besides = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.constantFrom<object>(
    { meta: { reviewers: ['bob'] } },
    { meta: { reviewers: ['user:ann', 'group:finance'] } },
    { meta: { transient: true } },
    { reply_schema: { type: 'object', properties: { choice: { enum: ['a'] } }, required: ['choice'] } },
  ),
)
const replies = fc.oneof(
  fc.constantFrom<unknown>({ choice: 'a' }, 'yes', '', {}, { choice: 'z' }, ['no'], null, 7),
  fc.jsonValue(),
)

/** A question, somebody who answers it, and what became of it before. */
async function scenes() {
  const [ann, bob, finance, auditor, agent] = await Promise.all([
    tokenOf('ann'),
    tokenOf('bob'),
    tokenOf('ann', { groups: ['finance', 'night ü'] }),
    tokenOf('ann', { roles: ['auditor'] }),
    tokenOf('ann', { roles: ['agent'] }),
  ])
  return fc.record({
    token: fc.oneof({ weight: 3, arbitrary: fc.constant(ann) }, fc.constantFrom(bob, finance, auditor, agent)),
    body: bodies,
    beside: besides,
    reply: replies,
    terms: fc.constantFrom<object>({}, {}, {}, { comment: 'well' }, { always: true }),
    before: fc.constantFrom('asked', 'asked', 'asked', 'asked', 'answered', 'retracted', 'never', 'told', 'closed'),
    capitals: fc.boolean(),
  })
}

type Scene = Awaited<ReturnType<typeof scenes>> extends fc.Arbitrary<infer T> ? T : never

async function prepare(streams: Streams, { body, beside, before }: Scene, session: string, id: string): Promise<void> {
  await streams.open(session, { owner: 'ann', expireSeconds: 60 })
  if (before === 'told') await streams.send(session, { ...note('x'), msg_id: id })
  else if (before !== 'never')
    await streams.send(session, { ...question({}, body), ...beside, msg_id: id } as HilMessage)
  if (before === 'answered') await streams.answer(session, id, 'before')
  if (before === 'retracted') await streams.retract(session, id)
  if (before === 'closed') await streams.close(session)
}

/** Positions and tokens differ every time. */
const masked = (value: unknown) =>
  JSON.parse(JSON.stringify(value ?? null).replaceAll(/\d{13}-\d+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '…'))

/** Answers twice, the second time too late, and returns what is answered and all that is there then. */
async function play(raw: Redis, { streams, url }: { streams: Streams; url: string }, scene: Scene): Promise<unknown> {
  // With letters, so that capitals make a difference.
  const [session, id] = [`aaaaaaaa${randomUUID().slice(8)}`, randomUUID()]
  await prepare(streams, scene, session, id)
  const { token, reply, terms, capitals } = scene
  const body = { session_task_id: capitals ? session.toUpperCase() : session, hil_msg_id: id, msg: reply, ...terms }
  const answers = []
  for (let i = 0; i < 2; i++) {
    const response = await post(url, '/hil/respond', { token, body })
    const { 'x-request-id': _id, date: _date, ...headers } = Object.fromEntries(response.headers)
    answers.push({ status: response.status, headers, text: await response.text() })
  }
  const [hash = '', ids = ''] = placeOf('holdpoint:', 'default', session).keys
  const { at: _at, ...stored } = await raw.hgetall(hash)
  const kept = masked([...Object.entries(stored), ...Object.entries(await raw.hgetall(ids))]).sort()
  const read = await streams.read(session, { after: '0', limit: 10 })
  return masked([answers, kept, read, await streams.takeReply(session, id, { waitMs: 0 })])
}

describe('an answer by the owner in one step', () => {
  it('is the same as a look and an answer, whatever is asked, whoever answers, and whatever came before', async () => {
    const streams = connected()
    const raw = new Redis(redis.url)
    onTestFinished(() => raw.disconnect())
    const writeLimit = { burst: 1_000_000, perSecond: 1_000_000 }
    const gateways = [streams, inTwoSteps(connected())].map((each) => served({ streams: each, writeLimit }))
    const [first, second] = await Promise.all(gateways)
    const property = fc.asyncProperty(await scenes(), async (scene) => {
      const [own, steps] = await Promise.all([first!, second!].map((gateway) => play(raw, gateway, scene)))
      expect(own).toEqual(steps)
    })
    await fc.assert(property, soak.runs(200, 4000))
  })

  it('tells the other readers, and says whether the application waits', async () => {
    const streams = connected()
    const { url } = await served({ streams: connected() })
    const token = await tokenOf('ann', { groups: ['finance'] })
    const session = await sessionOf(streams, 'ann')
    const [heard, unheard] = [question(), question()]
    await streams.send(session, heard)
    const after = await streams.send(session, unheard)
    const reader = streams.read(session, { after, waitMs: 10_000 })
    const waiting = streams.takeReply(session, heard.msg_id, { waitMs: 10_000 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    const respond = (id: string) =>
      post(url, '/hil/respond', { token, body: { session_task_id: session, hil_msg_id: id, msg: 'yes' } })
    const response = await respond(heard.msg_id)
    expect([response.status, response.headers.get('holdpoint-delivery')]).toEqual([200, null])
    expect(await waiting).toEqual({ kind: 'reply', reply: 'yes', by: 'ann', groups: ['finance'] })
    const told = await reader
    expect(told).toMatchObject({ messages: [{ message: { content: { body: { type: 'Retracted' } } } }] })
    // The other question is answered while the channel of replies has nobody.
    const other = await sessionOf(streams, 'ann')
    await streams.send(other, unheard)
    const late = await post(url, '/hil/respond', {
      token,
      body: { session_task_id: other, hil_msg_id: unheard.msg_id, msg: 'yes' },
    })
    expect([late.status, late.headers.get('holdpoint-delivery')]).toEqual([200, 'unheard'])
  })

  it('that is repeated with the same token is the same answer, and with another it changes nothing', async () => {
    const streams = connected()
    const raw = new Redis(redis.url)
    onTestFinished(() => raw.disconnect())
    const session = await sessionOf(streams, 'ann')
    const asked = question()
    await streams.send(session, asked)
    const { keys, channel, replies: bell } = placeOf('holdpoint:', 'default', session)
    const run = (token: string, owner = 'ann') =>
      raw.eval(ANSWER_OWN.lua, 4, ...keys, channel, asked.msg_id, '"yes"', token, bell, owner, '', 'notice', 1000)
    expect(await run('one', 'bob')).toEqual(['look'])
    expect(await run('one')).toEqual(['ok', 0])
    expect(await run('one')).toEqual(['ok'])
    expect(await run('two')).toEqual(['look'])
    expect(await streams.read(session, { after: '0', limit: 10 })).toMatchObject({
      messages: [{ message: { msg_id: 'notice' } }],
    })
    expect(await streams.takeReply(session, asked.msg_id, { waitMs: 0 })).toMatchObject({ kind: 'reply', reply: 'yes' })
    expect(await run('one')).toEqual(['ok'])
  })

  it('leaves nothing behind while Redis has no memory', async () => {
    const streams = connected()
    const raw = new Redis(redis.url)
    onTestFinished(() => raw.disconnect())
    const session = await sessionOf(streams, 'ann')
    const asked = question()
    await streams.send(session, asked)
    await streams.answerOwn!(session, 'unknown', { reply: 'no', owner: 'ann' })
    await raw.config('SET', 'maxmemory', '1')
    const refused = streams.answerOwn!(session, asked.msg_id, { reply: 'no', owner: 'ann' })
    await expect(refused).rejects.toMatchObject({ code: 'streams_failed' })
    await raw.config('SET', 'maxmemory', '0')
    expect(await streams.pending(session)).toMatchObject({ messages: [{ message: asked }] })
    expect(await streams.answerOwn!(session, asked.msg_id, { reply: 'yes', owner: 'ann' })).toBe('unheard')
  })

  it('drops the oldest notifications beyond the limit, as every notice does', async () => {
    const streams = connected({ maxNotifications: 2 })
    const session = await sessionOf(streams, 'ann')
    const asked = question()
    for (const each of [note('1'), note('2'), asked]) await streams.send(session, each)
    await streams.answerOwn!(session, asked.msg_id, { reply: 'yes', owner: 'ann' })
    const read = await streams.read(session, { after: '0', limit: 10 })
    expect(read).toMatchObject({ gap: true, messages: [{ message: { content: { text: '2' } } }, {}] })
  })
})
