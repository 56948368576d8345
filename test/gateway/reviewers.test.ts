import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createClient } from '../../src/client.ts'
import { Agent, humanInTheLoop, memoryStore, memoryStreams, openDesk, StreamChannel, tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { post, served, tokenOf } from '../support/gateway/served-gateway.ts'
import { note, question } from '../support/gateway/stream-messages.ts'
import { until } from '../support/until.ts'

/** A thread of ann's whose refund only bob and joe may decide. */
async function scene() {
  const store = memoryStore()
  const streams = memoryStreams()
  onTestFinished(() => streams.shutdown())
  const { url } = await served({ store, streams, heartbeatSeconds: 0.05 })
  const session = randomUUID()
  await streams.open(session, { owner: 'ann', expireSeconds: 600 })
  await streams.send(session, note('a secret of ann'))
  const private_ = question({ secret: true })
  await streams.send(session, private_)
  const ran: object[] = []
  const refund = tool({
    name: 'refund',
    description: 'Pays money back.',
    parameters: z.object({ cents: z.number() }),
    execute: (args) => void ran.push(args),
  })
  const agent = new Agent({
    name: 'clerk',
    model: scriptedModel([{ toolCalls: [{ id: 'c1', name: 'refund', args: { cents: 500 } }] }, 'Done.']),
    tools: [refund],
    policy: humanInTheLoop({ interruptOn: { refund: { reviewers: ['bob', 'joe'] } } }),
  })
  const channel = new StreamChannel({ streams, session, store, threadId: 't' })
  const result = agent.thread('t', { store, channel }).prompt('go')
  await until(async () => {
    const read = await streams.pending(session)
    return read.kind === 'messages' && read.messages.length === 2
  })
  const get = async (path: string, sub: string) =>
    fetch(`${url}${path}`, { headers: { authorization: `Bearer ${await tokenOf(sub)}` } })
  const client = async (sub: string) => createClient({ url, token: await tokenOf(sub) })
  return { url, store, streams, session, private: private_, ran, result, get, client }
}

it('a reviewer that a policy names sees the question in a session of another owner, and nothing else in it', async () => {
  const { session, get, client, private: hidden, url } = await scene()
  const open = (await (await get(`/hil/open?session_task_id=${session}`, 'bob')).json()) as {
    open: { HIL_msg: object }[]
  }
  expect(open.open).toHaveLength(1)
  expect(open.open[0]!.HIL_msg).toMatchObject({ content: { body: { type: 'HoldpointApprove', tool_name: 'refund' } } })
  const all = await (await get(`/hil/messages?session_task_id=${session}`, 'bob')).text()
  expect(all).not.toContain('secret')
  const inbox = (await client('bob')).inbox()
  await until(() => inbox.pending.length === 1)
  expect(inbox.sessions).toEqual([session])
  const body = { session_task_id: session, hil_msg_id: hidden.msg_id, msg: 'x' }
  expect((await post(url, '/hil/respond', { token: await tokenOf('bob'), body })).status).toBe(404)
  inbox.close()
  await inbox.ended
})

it('a reviewer decides over the gateway, under their own name; then the session is gone for all reviewers', async () => {
  const { session, client, store, result, ran, get } = await scene()
  const [bob, joe] = [(await client('bob')).inbox(), (await client('joe')).inbox()]
  await until(() => bob.pending.length === 1 && joe.pending.length === 1)
  const [asked] = bob.pending
  expect(await bob.respond(asked!, 'approve')).toBe('answered')
  expect((await result).status).toBe('completed')
  expect(ran).toEqual([{ cents: 500 }])
  const request = await openDesk({ store }).get(asked!.content.body.tool_exec_uuid)
  expect(request.decision).toMatchObject({ type: 'approve', by: { kind: 'person', id: 'bob', via: 'hil' } })
  await until(() => joe.pending.length === 0 && joe.sessions.length === 0)
  expect((await get(`/hil/open?session_task_id=${session}`, 'bob')).status).toBe(404)
  for (const inbox of [bob, joe]) {
    inbox.close()
    await inbox.ended
  }
})

it('to everybody else the session is not there, in the same bytes as one that does not exist', async () => {
  const { session, get, url, private: hidden } = await scene()
  const nowhere = randomUUID()
  for (const path of ['/hil/open', '/hil/messages', '/hil/events']) {
    const [foreign, absent] = [
      await get(`${path}?session_task_id=${session}`, 'eve'),
      await get(`${path}?session_task_id=${nowhere}`, 'eve'),
    ]
    expect([foreign.status, await foreign.text()]).toEqual([absent.status, await absent.text()])
    expect(foreign.status).toBe(404)
  }
  const token = await tokenOf('eve')
  for (const id of [session, nowhere]) {
    const body = { session_task_id: id, hil_msg_id: hidden.msg_id, msg: 12 }
    // Also what is malformed is not told before it is known that the session is theirs.
    expect((await post(url, '/hil/respond', { token, body })).status).toBe(404)
    expect((await post(url, '/hil/poll', { token, body: { ...body, timeout: -1 } })).status).toBe(404)
  }
})

it('the owner sees the question, but is not among those who may decide it', async () => {
  const { session, client } = await scene()
  const ann = (await client('ann')).session(session)
  await until(() => ann.pending.length === 2)
  const refund = ann.pending.find(({ content }) => content.body.tool_name === 'refund')
  await expect(ann.respond(refund!.id, 'approve')).rejects.toMatchObject({ status: 403 })
  ann.close()
  await ann.ended
})
