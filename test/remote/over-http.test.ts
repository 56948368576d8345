import { describe, expect, it } from 'vitest'
import { type ClientOptions, createClient, requestOf } from '../../src/client.ts'
import { type JsonObject, memoryStreams, openDesk } from '../../src/index.ts'
import { application, refundOnce, refundTool } from '../support/agents/remote-application.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'
import { until } from '../support/until.ts'

/** An application and the client of the person that it asks, with a real gateway between them. */
async function scene(options: { stored: boolean; transport: ClientOptions['transport']; done?: JsonObject[] }) {
  const { stored, transport = 'auto', done = [] } = options
  const app = await application(refundOnce, [refundTool(done)], { streams: memoryStreams() })
  const { url } = await served({ streams: app.streams, ...(stored ? { store: app.store } : {}) })
  const token = await tokenOf('ann')
  const client = createClient({ url, token, transport, backoff: { initialMs: 10 } })
  return { ...app, url, client, done }
}

describe.each([
  ['a gateway that decides at the desk', true],
  ['a gateway without a store', false],
])('over %s', (_, stored) => {
  it.each(['sse', 'poll'] as const)('a person sees what will run, and it runs as decided (%s)', async (transport) => {
    const { open, client, session, done, store, questions } = await scene({ stored, transport })
    const { thread, channel } = open()
    const result = thread.prompt('go')
    const seen = client.session(session)
    await until(() => seen.pending.length === 1)
    const [question] = seen.pending
    const request = requestOf(question!)!
    expect(request).toMatchObject({ kind: 'approve', toolName: 'refund', args: { cents: 500 } })
    const edit = { decision: { type: 'edit', args: { cents: 7 } } }
    expect(await seen.respond(question!.id, edit)).toBe('answered')
    expect((await result).status).toBe('completed')
    expect(done).toEqual([{ cents: 7 }])
    const decided = await openDesk({ store }).get(request.id)
    expect(decided.decision?.by).toEqual({ kind: 'person', id: 'ann', via: stored ? 'hil' : 'stream' })
    await channel.flush()
    expect(await questions()).toEqual([])
    expect(seen.pending).toEqual([])
    seen.close()
    await seen.ended
  })

  it('a second answer finds the question gone', async () => {
    const { open, client, session, asked, done } = await scene({ stored, transport: 'poll' })
    const result = open().thread.prompt('go')
    const [question] = await asked()
    const outcomes = await Promise.all([
      client.respond(session, question!.msg_id, 'approve'),
      client.respond(session, question!.msg_id, 'approve'),
    ])
    expect((await result).status).toBe('completed')
    expect(done).toHaveLength(1)
    // At a desk the same answer by the same person is accepted as done, if it comes before the question is off the stream.
    expect(outcomes).toContain('answered')
    expect(await client.respond(session, question!.msg_id, 'approve')).toBe('gone')
  })

  it('a second tab learns that the question is settled', async () => {
    const { open, client, session } = await scene({ stored, transport: 'auto' })
    const result = open().thread.prompt('go')
    const tabs = [client.session(session), client.session(session)]
    await until(() => tabs.every(({ pending }) => pending.length === 1))
    await tabs[0]!.respond(tabs[0]!.pending[0]!.id, 'reject')
    await result
    await until(() => tabs[1]!.pending.length === 0)
    for (const tab of tabs) tab.close()
  })

  it('the end of the session ends the reading', async () => {
    const { client, session, streams } = await scene({ stored, transport: 'auto' })
    const seen = client.session(session)
    await until(() => seen.state === 'open')
    await streams.close(session)
    await seen.ended
    expect(seen.state).toBe('gone')
  })
})

describe('over a gateway with a store', () => {
  it('a reply that does not fit is refused with the reason, and the question stays', async () => {
    const { open, client, session, asked, questions, done } = await scene({ stored: true, transport: 'poll' })
    const result = open().thread.prompt('go')
    const [question] = await asked()
    await expect(client.respond(session, question!.msg_id, 'perhaps')).rejects.toMatchObject({ code: 'bad_request' })
    const edit = { decision: { type: 'edit', args: { cents: 'many' } } }
    await expect(client.respond(session, question!.msg_id, edit)).rejects.toMatchObject({ status: 400 })
    expect(await questions()).toEqual([question])
    expect(await client.respond(session, question!.msg_id, 'approve')).toBe('answered')
    await result
    expect(done).toHaveLength(1)
  })

  it('a person decides while no application runs, and the next one goes on', async () => {
    const { open, client, session, asked, done } = await scene({ stored: true, transport: 'poll' })
    const first = open()
    const left = first.thread.prompt('go')
    const [question] = await asked()
    await first.thread.detach()
    await left
    await first.channel.flush()
    expect(await client.respond(session, question!.msg_id, 'approve')).toBe('answered')
    expect(done).toEqual([])
    expect((await open().thread.resume()).status).toBe('completed')
    expect(done).toHaveLength(1)
  })

  it('other people see nothing of it', async () => {
    const { open, url, session, asked } = await scene({ stored: true, transport: 'poll' })
    const { thread } = open()
    const result = thread.prompt('go')
    const [question] = await asked()
    const bob = createClient({ url, token: await tokenOf('bob') })
    expect(await bob.respond(session, question!.msg_id, 'approve')).toBe('gone')
    for await (const _ of bob.messages(session)) throw new Error('bob saw a message')
    await thread.abortPending()
    await result
  })

  it('a token that ends is replaced without a gap', async () => {
    const { open, url, session } = await scene({ stored: true, transport: 'auto' })
    const { thread } = open()
    let made = 0
    const token = () => {
      made += 1
      // Ends within the tolerance of the gateway's clock.
      return tokenOf('ann', { exp: Math.floor(Date.now() / 1000) - (made === 1 ? 60 : -600) })
    }
    const seen = createClient({ url, token, backoff: { initialMs: 10 } }).session(session)
    const result = thread.prompt('go')
    await until(() => seen.pending.length === 1)
    expect(made).toBe(2)
    await seen.respond(seen.pending[0]!.id, 'approve')
    expect((await result).status).toBe('completed')
    seen.close()
  })
})
