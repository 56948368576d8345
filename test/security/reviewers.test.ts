import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  type Actor,
  Agent,
  type HitlRequest,
  humanInTheLoop,
  InMemoryChannel,
  memoryStreams,
  openDesk,
  RunState,
  run,
  StreamChannel,
  tool,
} from '../../src/index.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { scriptedModel } from '../../src/testing.ts'
import { holdpoint, tempDir } from '../cli/support/programs.ts'
import { post, served, sessionOf, tokenOf } from '../support/gateway/served-gateway.ts'
import { question } from '../support/gateway/stream-messages.ts'
import { until } from '../support/until.ts'

interface Person {
  id: string
  groups?: string[]
}

const by = ({ id, groups }: Person): Actor => ({ kind: 'person', id, ...(groups ? { groups } : {}) })
const approve = { type: 'approve' } as const

/** A refund that needs somebody of each of two lists. */
function scene() {
  const dir = tempDir()
  const path = join(dir, 'store.db')
  const store = sqliteStore({ path })
  onTestFinished(() => store.close())
  const refund = tool({
    name: 'refund',
    description: 'Pays money back.',
    parameters: z.object({ cents: z.number() }),
    execute: () => 'paid',
  })
  const lists = [
    ['group:finance', 'dan'],
    ['group:legal', 'user:dan'],
  ]
  const agent = new Agent({
    name: 'clerk',
    model: scriptedModel([{ toolCalls: [{ id: 'c1', name: 'refund', args: { cents: 500 } }] }, 'Done.']),
    tools: [refund],
    policy: lists.map((reviewers, index) =>
      humanInTheLoop({ name: `p${index}`, interruptOn: { refund: { reviewers } } }),
    ),
  })
  const desk = openDesk({ store })
  const current = async (): Promise<HitlRequest> => {
    const { requests } = await desk.list()
    expect(requests).toHaveLength(1)
    return requests[0]!
  }
  const paused = async () => (await run(agent, 'go', { store, threadId: 't' })).interruptions[0]!
  return { dir, path, store, agent, desk, current, paused }
}

type Scene = ReturnType<typeof scene>
/** Opens the request at a door; the result tries to approve it there. Refusals reject, or resolve to false. */
type Door = (scene: Scene) => Promise<(person: Person) => Promise<unknown>>

const doors: [name: string, door: Door][] = [
  [
    'a state',
    async ({ agent, store, paused }) => {
      const asked = await paused()
      return async (person) => (await RunState.load(agent, { threadId: 't', store })).approve(asked, { by: by(person) })
    },
  ],
  [
    'a thread',
    async ({ agent, store, paused }) => {
      const { id } = await paused()
      return (person) => agent.thread('t', { store }).respond({ id, decision: approve, by: by(person) })
    },
  ],
  [
    'the desk, with decide',
    async ({ desk, paused }) => {
      const { id } = await paused()
      return (person) => desk.decide({ id, decision: approve, by: by(person) })
    },
  ],
  [
    'the desk, with answer',
    async ({ desk, paused }) => {
      const { id } = await paused()
      return (person) => desk.answer(id, approve, { by: by(person) })
    },
  ],
  [
    'a channel',
    async ({ agent, store }) => {
      const channel = new InMemoryChannel()
      const thread = agent.thread('t', { store, channel })
      const ended = thread.prompt('go')
      onTestFinished(async () => {
        await thread.abortPending()
        await ended
      })
      await until(() => channel.pending !== undefined)
      const { questionId } = channel.pending!
      return (person) => channel.answer(questionId, approve, { by: by(person) })
    },
  ],
  [
    'a stream',
    async ({ agent, store, current }) => {
      const streams = memoryStreams()
      const session = await sessionOf(streams, 'owner')
      const channel = new StreamChannel({ streams, session, store, threadId: 't' })
      const thread = agent.thread('t', { store, channel })
      const ended = thread.prompt('go')
      onTestFinished(async () => {
        await thread.abortPending()
        await ended
        await streams.shutdown()
      })
      const open = async () => {
        const read = await streams.pending(session)
        return read.kind === 'messages' && 'message' in read.messages[0]! ? read.messages[0].message : undefined
      }
      await until(async () => (await open()) !== undefined)
      return async ({ id, groups = [] }) => {
        const { msg_id } = (await open())!
        await streams.answer(session, msg_id, 'approve', { by: id, groups })
        // A refused answer is asked again under another id.
        await until(async () => (await current()).status === 'decided' || ((await open())?.msg_id ?? msg_id) !== msg_id)
        return (await current()).status === 'decided'
      }
    },
  ],
  [
    'the gateway, at /hil',
    async ({ store, paused }) => {
      const { url, streams } = await served({ store })
      const request = await paused()
      const session = await sessionOf(streams, 'owner')
      const names = { meta: { reviewers: ['user:dan', 'group:finance', 'group:legal'] } }
      const message = question(request as never, { type: 'HoldpointApprove', tool_exec_uuid: request.id })
      await streams.send(session, { ...message, ...names })
      return async ({ id, groups = [] }) => {
        const body = { session_task_id: session, hil_msg_id: message.msg_id, msg: 'approve' }
        return (await post(url, '/hil/respond', { token: await tokenOf(id, { groups }), body })).status === 200
      }
    },
  ],
  [
    'the gateway, at /v1',
    async ({ store, paused }) => {
      const { url } = await served({ store })
      const { id, version, digest, shown } = await paused()
      return async (person) => {
        const token = await tokenOf(person.id, { groups: person.groups ?? [], roles: ['reviewer', 'admin'] })
        const body = { version, digest, shown, decision: approve }
        return (await post(url, `/v1/requests/${id}/decide`, { token, body })).status === 200
      }
    },
  ],
  [
    'the command line',
    async ({ dir, path, paused }) => {
      const { id } = await paused()
      return async (person) => {
        const groups = (person.groups ?? []).flatMap((group) => ['--group', group])
        return holdpoint(dir, ['approve', id, '--store', path, '--as', person.id, ...groups]).code === 0
      }
    },
  ],
]

const strangers: [string, Person][] = [
  ['somebody whom nobody named', { id: 'eve' }],
  ['somebody of one list', { id: 'eve', groups: ['finance'] }],
  ['somebody of the other list', { id: 'eve', groups: ['legal', 'kitchen'] }],
  ['somebody whose id looks like a group', { id: 'group:finance', groups: ['legal'] }],
  ['somebody whose group looks like a user', { id: 'eve', groups: ['user:dan', 'dan'] }],
]

const reviewers: [string, Person][] = [
  ['somebody in a group of each list', { id: 'ann', groups: ['finance', 'legal'] }],
  ['somebody whom each list names', { id: 'dan' }],
]

describe.each(doors)('at %s', (_, door) => {
  it('only who is in every list of reviewers decides, and with which groups is recorded', async () => {
    for (const [name, person] of reviewers) {
      const place = scene()
      const attempt = await door(place)
      for (const [who, stranger] of strangers) {
        const done = await attempt(stranger).catch((error: { code?: string }) => {
          expect(error.code, who).toBe('reviewer_not_allowed')
          return false
        })
        expect(done, who).toBe(false)
        expect((await place.current()).status, who).toBe('open')
      }
      expect(await attempt(person), name).not.toBe(false)
      const { decision } = await place.current()
      expect(decision, name).toMatchObject({ type: 'approve', by: by(person) })
    }
  })
})

describe('at the gateway', () => {
  const servedScene = async () => {
    const place = scene()
    const { url, streams } = await served({ store: place.store })
    const session = await sessionOf(streams, 'owner')
    const channel = new StreamChannel({ streams, session, store: place.store, threadId: 't' })
    const thread = place.agent.thread('t', { store: place.store, channel })
    const ended = thread.prompt('go')
    onTestFinished(async () => {
      await thread.abortPending()
      await ended
    })
    await until(async () => (await streams.pending(session)).kind === 'messages')
    const open = async (sub: string, claims: Record<string, unknown>, id = session) => {
      const headers = { authorization: `Bearer ${await tokenOf(sub, claims)}` }
      const answer = await fetch(`${url}/hil/open?session_task_id=${id}`, { headers })
      return { status: answer.status, text: await answer.text() }
    }
    const respond = async (sub: string, claims: Record<string, unknown>) => {
      const read = await streams.pending(session)
      const message = read.kind === 'messages' && 'message' in read.messages[0]! ? read.messages[0].message : undefined
      const body = { session_task_id: session, hil_msg_id: message!.msg_id, msg: 'approve' }
      return (await post(url, '/hil/respond', { token: await tokenOf(sub, claims), body })).status
    }
    return { ...place, open, respond }
  }

  it('one list lets a person see the question; to others it looks absent; auditors and agents answer nothing', async () => {
    const { open, respond, current } = await servedScene()
    expect(await open('eve', { groups: ['finance'] })).toMatchObject({ status: 200 })
    expect(await respond('eve', { groups: ['finance'] })).toBe(403)
    const absent = await open('eve', { groups: ['kitchen'] }, randomUUID())
    expect(absent.status).toBe(404)
    expect(await open('eve', { groups: ['kitchen'] })).toEqual(absent)
    expect(await open('eve', { roles: ['reviewer'] })).toEqual(absent)
    expect(await open('group:finance', {})).toEqual(absent)
    expect(await open('eve', { roles: ['auditor'] })).toMatchObject({ status: 200 })
    expect(await respond('dan', { roles: ['auditor'] })).toBe(403)
    expect(await respond('dan', { roles: ['agent', 'admin'], groups: ['finance', 'legal'] })).toBe(403)
    expect(await respond('boss', { roles: ['admin'] })).toBe(403)
    expect((await current()).status).toBe('open')
    expect(await respond('dan', { roles: ['auditor', 'reviewer'] })).toBe(200)
  })
})
