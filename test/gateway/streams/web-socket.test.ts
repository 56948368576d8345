import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { memoryStreams } from '../../../src/streams/memory/streams.ts'
import { post, served, sessionOf, tokenOf } from '../../support/gateway/served-gateway.ts'
import { note, question } from '../../support/gateway/stream-messages.ts'
import { until } from '../../support/until.ts'
import { watched } from './watched-streams.ts'

interface Rpc {
  id?: unknown
  method?: string
  params?: { msg_id: string; msg: unknown }
  result?: unknown
  error?: { code: number; message: string }
}

/** A client that says nothing by itself. */
async function connect(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/hil/ws`, { headers })
  const seen: Rpc[] = []
  const closed = new Promise<number>((resolve) => socket.on('close', (code) => resolve(code)))
  socket.on('message', (data) => void seen.push(JSON.parse(String(data))))
  onTestFinished(() => socket.terminate())
  await new Promise((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('error', reject)
  })
  let calls = 0
  const call = (method: string, params: unknown) => {
    const id = `call ${++calls}`
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return answered(id)
  }
  const answered = async (id: unknown) => {
    await until(() => seen.some((each) => each.method === undefined && each.id === id))
    return seen.find((each) => each.method === undefined && each.id === id)
  }
  const ack = (id: unknown) => socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: 'ack' }))
  const got = (method: string) => seen.filter((each) => each.method === method)
  return { socket, seen, closed, call, ack, got, answered }
}

/** A client with an open session of ann. */
async function opened(options: Parameters<typeof served>[0] = {}) {
  const all = await served(options)
  const session = await sessionOf(all.streams, 'ann')
  const client = await connect(all.url)
  const token = await tokenOf('ann')
  expect(await client.call('init_session', { auth_token: token, stream_identifier: session })).toMatchObject({
    result: 'ack',
  })
  return { ...all, ...client, session, token }
}

describe('the WebSocket', () => {
  it('hands out messages and takes answers', async () => {
    const { streams, session, call, got, ack } = await opened()
    const [asked, told] = [question({ choices: ['a'] }), note('half way')]
    await streams.send(session, asked)
    await streams.send(session, told)
    await until(() => got('HIL_interrupt_request').length > 0 && got('Notification').length > 0)
    const [request] = got('HIL_interrupt_request')
    expect(request).toEqual({
      jsonrpc: '2.0',
      id: expect.any(Number),
      method: 'HIL_interrupt_request',
      params: { msg_id: asked.msg_id, msg: asked.content },
    })
    expect(got('Notification')[0]?.params).toEqual({ msg_id: told.msg_id, msg: told.content })
    ack(request?.id)
    // This question is answered on its stream, where nobody would read a comment.
    const commented = { msg_id: asked.msg_id, msg: { choice: 'a' }, comment: 'ok' }
    expect(await call('HIL_interrupt_response', commented)).toMatchObject({ error: { code: -32602 } })
    expect(await call('HIL_interrupt_response', { msg_id: asked.msg_id, msg: { choice: 'a' } })).toMatchObject({
      result: 'ack',
    })
    expect(await streams.takeReply(session, asked.msg_id, { waitMs: 0 })).toEqual({
      kind: 'reply',
      reply: { choice: 'a' },
      by: 'ann',
    })
    const again = await call('HIL_interrupt_response', { msg_id: asked.msg_id, msg: 'b' })
    expect(again?.error).toEqual({ code: -32602, message: expect.stringContaining('no such open question') })
  })

  it('sends a message again until it is acknowledged or answered', async () => {
    const { streams, session, call, got, ack, seen } = await opened({ websocket: { resendSeconds: 0.02 } })
    const [asked, told] = [question(), note('read this')]
    await streams.send(session, told)
    await until(() => got('Notification').length >= 3)
    const [first, second] = got('Notification')
    expect(second).toEqual(first)
    ack('another id')
    ack(first?.id)
    await streams.send(session, asked)
    await until(() => got('HIL_interrupt_request').length >= 2)
    const notes = got('Notification').length
    await call('HIL_interrupt_response', { msg_id: asked.msg_id, msg: '' })
    // All clients are told that it is over, this one too.
    await until(() => got('Notification').length > notes)
    const retracted = got('Notification').at(-1)
    expect(retracted?.params).toMatchObject({ msg: { body: { type: 'Retracted', detail: { msg_id: asked.msg_id } } } })
    ack(retracted?.id)
    const questions = got('HIL_interrupt_request').length
    await until(async () => {
      const count = seen.length
      await new Promise((resolve) => setTimeout(resolve, 100))
      return seen.length === count
    })
    expect(got('HIL_interrupt_request').length).toBe(questions)
  })

  it('ends with its token also if nothing is acknowledged, and takes no answer after that', async () => {
    const all = await served()
    const session = await sessionOf(all.streams, 'ann')
    const client = await connect(all.url)
    const asked = question()
    await all.streams.send(session, asked)
    for (let i = 0; i < 40; i++) await all.streams.send(session, note(`number ${i}`))
    const token = await tokenOf('ann', { exp: Math.floor(Date.now() / 1000) + 2 })
    await client.call('init_session', { auth_token: token, stream_identifier: session })
    await until(() => client.got('Notification').length === 15)
    expect(await client.closed).toBe(1008)
    expect(await all.streams.question(session, asked.msg_id)).toMatchObject({ kind: 'question' })
  })

  it('ends with its stream also if nothing is acknowledged', async () => {
    const { streams, session, got, closed } = await opened()
    for (let i = 0; i < 40; i++) await streams.send(session, note(`number ${i}`))
    await until(() => got('Notification').length === 16)
    await streams.close(session)
    expect(await closed).toBe(4404)
  })

  it('stops sending when too much is not acknowledged, and goes on after that', async () => {
    const { streams, session, got, ack } = await opened()
    for (let i = 0; i < 40; i++) await streams.send(session, note(`number ${i}`))
    await until(() => got('Notification').length === 16)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(got('Notification').length).toBe(16)
    for (let acked = 0; acked < 40; ) {
      await until(() => got('Notification').length > acked)
      for (const each of got('Notification').slice(acked)) {
        ack(each.id)
        acked++
      }
    }
    expect(got('Notification').map((each) => each.params?.msg)).toEqual(
      Array.from({ length: 40 }, (_, i) => ({ text: `number ${i}` })),
    )
  })

  it.each<[string, unknown, number]>([
    ['another method', { jsonrpc: '2.0', id: 1, method: 'HIL_interrupt_response', params: {} }, -32600],
    ['a response', { jsonrpc: '2.0', id: 1, result: 'ack' }, -32600],
    ['no JSON', '{', -32700],
    ['a list', [], -32600],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'init_session' }, -32600],
    ['no parameters', { jsonrpc: '2.0', id: 1, method: 'init_session' }, -32602],
    ['parameters as a list', { jsonrpc: '2.0', id: 1, method: 'init_session', params: ['a', 'b'] }, -32602],
    [
      'no token',
      { jsonrpc: '2.0', id: 1, method: 'init_session', params: { stream_identifier: randomUUID() } },
      -32602,
    ],
    [
      'a token that is none',
      { jsonrpc: '2.0', id: 1, method: 'init_session', params: { auth_token: 'x', stream_identifier: randomUUID() } },
      -32602,
    ],
    [
      'a stream that is no UUID',
      { jsonrpc: '2.0', id: 1, method: 'init_session', params: { auth_token: 'x', stream_identifier: 'y' } },
      -32602,
    ],
  ])('refuses %s as the first message, and closes', async (_, message, code) => {
    const { url } = await served()
    const { socket, seen, closed } = await connect(url)
    socket.send(typeof message === 'string' ? message : JSON.stringify(message))
    expect(await closed).toBe(1008)
    expect(seen).toHaveLength(1)
    expect(seen[0]?.error?.code).toBe(code)
  })

  it('refuses streams of others exactly like streams that are not there', async () => {
    const { url, streams } = await served()
    const foreign = await sessionOf(streams, 'bob')
    const refusals = []
    for (const stream_identifier of [foreign, randomUUID()]) {
      const { call, closed } = await connect(url)
      refusals.push(await call('init_session', { auth_token: await tokenOf('ann'), stream_identifier }))
      expect(await closed).toBe(1008)
    }
    expect(refusals[0]).toEqual(refusals[1])
    expect(refusals[0]?.error?.code).toBe(-32602)
  })

  it('stays open for mistakes after that', async () => {
    const { streams, session, call, socket, seen, answered } = await opened()
    expect((await call('no_such_method', {}))?.error?.code).toBe(-32601)
    expect((await call('init_session', {}))?.error?.code).toBe(-32600)
    expect((await call('HIL_interrupt_response', { msg_id: 5 }))?.error?.code).toBe(-32602)
    expect((await call('HIL_interrupt_response', { msg_id: 'x', msg: 5 }))?.error?.code).toBe(-32602)
    socket.send('not json')
    expect((await answered(null))?.error?.code).toBe(-32700)
    const before = seen.length
    // A notification gets no answer, whatever is wrong with it.
    socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'no_such_method' }))
    const asked = question()
    await streams.send(session, asked)
    expect(await call('HIL_interrupt_response', { msg_id: asked.msg_id, msg: 'fine' })).toMatchObject({ result: 'ack' })
    expect(seen.slice(before).filter((each) => each.method === undefined)).toHaveLength(1)
  })

  it('lets no agent answer', async () => {
    const { url, streams } = await served()
    const session = await sessionOf(streams, 'robot')
    const asked = question()
    await streams.send(session, asked)
    const { call } = await connect(url)
    await call('init_session', { auth_token: await tokenOf('robot', { role: 'agent' }), stream_identifier: session })
    const answer = await call('HIL_interrupt_response', { msg_id: asked.msg_id, msg: 'yes' })
    expect(answer?.error?.code).toBe(-32602)
    expect(await streams.pending(session)).toMatchObject({ kind: 'messages' })
  })

  it('closes when the stream is gone, when the token ends, and when nobody says who it is', async () => {
    const { streams, session, closed } = await opened()
    await streams.close(session)
    expect(await closed).toBe(4404)

    const impatient = await served({ websocket: { initTimeoutSeconds: 0.05 } })
    const silent = await connect(impatient.url)
    expect(await silent.closed).toBe(1008)
    const { url, streams: others } = await served()
    const short = await connect(url)
    const auth_token = await tokenOf('ann', { exp: Math.floor(Date.now() / 1000) + 1 })
    await short.call('init_session', { auth_token, stream_identifier: await sessionOf(others, 'ann') })
    expect(await short.closed).toBe(1008)
  })

  it('limits the size of a message, the sessions of a caller and the message rate', async () => {
    const { url, streams } = await served({ maxBodyBytes: 2000, maxWaitsPerCaller: 1 })
    const session = await sessionOf(streams, 'ann')
    const init = { auth_token: await tokenOf('ann'), stream_identifier: session }
    const long = await connect(url)
    long.socket.send('x'.repeat(3000))
    expect(await long.closed).toBe(1009)
    const first = await connect(url)
    expect(await first.call('init_session', init)).toMatchObject({ result: 'ack' })
    const second = await connect(url)
    expect((await second.call('init_session', init))?.error?.message).toContain('Too many')
    first.socket.close()
    await first.closed
    await until(async () => {
      const again = await connect(url)
      return (await again.call('init_session', init))?.result === 'ack'
    })
    const flood = await connect(url)
    for (let i = 0; i < 5000; i++) flood.socket.send('{"jsonrpc":"2.0","id":1,"method":"init_session"}')
    expect(await flood.closed).toBe(1008)
  })

  it('gives up on a client that does not answer pings', async () => {
    const { streams: inner, waiting } = watched(memoryStreams())
    const { url } = await served({ streams: inner, websocket: { pingSeconds: 2 } })
    const session = await sessionOf(inner, 'ann')
    const { call, socket, closed } = await connect(url)
    await call('init_session', { auth_token: await tokenOf('ann'), stream_identifier: session })
    // Answering to pings keeps it.
    await new Promise((resolve) => setTimeout(resolve, 5000))
    expect(waiting()).toBe(1)
    socket.pause()
    await until(() => waiting() === 0)
    socket.resume()
    expect(await closed).toBe(1006)
  })

  it('is closed when the gateway stops', async () => {
    const { server, closed } = await opened()
    await server.close()
    expect(await closed).toBe(1001)
  })

  it('is refused to pages of other origins, and at other paths', async () => {
    const { url } = await served({ cors: { origins: ['https://inbox.example.com'] } })
    await expect(connect(url, { origin: 'https://evil.example.com' })).rejects.toThrow('403')
    await expect(connect(url, { origin: 'null' })).rejects.toThrow('403')
    await expect(connect(`${url}/x`)).rejects.toThrow('404')
    await connect(url, { origin: 'https://inbox.example.com' })
    await connect(url, { origin: url })
    expect((await post(url, '/hil/ws', { body: {} })).status).toBe(404)
  })

  it('keeps a slow peer that reads on: large messages are sent again only once those before were read', async () => {
    const { streams, socket, session, closed, got, ack } = await opened({
      websocket: { resendSeconds: 0.1, pingSeconds: 1 },
    })
    let isOpen = true
    closed.then(() => {
      isOpen = false
    })
    socket.on('error', () => undefined)
    socket.pause()
    for (let i = 0; i < 24; i++) await streams.send(session, note('x'.repeat(900_000)))
    // Time for far more than 16 MiB, if everything was sent again all the time. The peer reads a little now and then.
    for (let i = 0; i < 30; i++) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      socket.resume()
      await new Promise((resolve) => setTimeout(resolve, 1))
      socket.pause()
    }
    expect(isOpen).toBe(true)
    socket.resume()
    const known = new Set<unknown>()
    await until(() => {
      const [fresh] = got('Notification').filter(({ id }) => !known.has(id))
      if (fresh) ack(fresh.id)
      known.add(fresh?.id)
      return new Set(got('Notification').map(({ params }) => params?.msg_id)).size === 24
    })
    expect(isOpen).toBe(true)
  })

  it('is ended when its peer does not read what it is sent', async () => {
    const { socket, closed } = await opened()
    socket.pause()
    // Each is answered with an error that has its id.
    const asked = JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(900_000), method: 'nothing' })
    let isOpen = true
    closed.then(() => {
      isOpen = false
    })
    socket.on('error', () => undefined)
    for (let sent = 0; sent < 60 && isOpen; sent++) {
      await new Promise((resolve) => socket.send(asked, resolve))
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    socket.resume()
    expect(await closed).toBe(1006)
  })
})
