import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Streams } from '../../src/ports/streams.ts'
import { retractionId } from '../../src/protocol/hil/hil-message.ts'
import { redisStreams } from '../../src/redis.ts'
import { soon } from '../../src/testing/store-suite/tools.ts'
import { allIds, note, question, until } from '../../src/testing/streams-suite/tools.ts'
import { type RedisServer, startRedis } from '../support/servers/redis-server.ts'
import { type Cut, startProxy, type TcpProxy } from '../support/servers/tcp-proxy.ts'

const LONG = 30_000
let server: RedisServer
let proxy: TcpProxy
let raw: Redis
let made = 0
const opened: Streams[] = []

beforeAll(async () => {
  server = await startRedis()
  proxy = await startProxy(server.port)
  raw = new Redis(server.url)
})

afterEach(async () => {
  proxy.set(true)
  for (const streams of opened.splice(0)) await streams.shutdown()
})

afterAll(async () => {
  raw.disconnect()
  await proxy.close()
  await server.remove()
})

/** Streams with an open session, on the other side of the proxy; every script is known to the server. */
async function beyondProxy(): Promise<Streams> {
  const streams = redisStreams({
    url: `redis://127.0.0.1:${proxy.port}`,
    keyPrefix: `lost${made++}:`,
    timeoutMs: 2000,
  })
  opened.push(streams)
  await streams.open('s', { owner: 'ann', expireSeconds: 600 })
  await streams.send('s', question('warm'))
  await streams.answer('s', 'warm', 'up')
  await streams.takeReply('s', 'warm', { waitMs: 0 })
  await streams.send('s', question('cold'))
  await streams.retract('s', 'cold')
  return streams
}

const cuts: Cut[] = ['before-server', 'before-answer', 'late']

describe.each(cuts)('a connection that is cut %s', (cut) => {
  it('does not make an answer count twice or not at all', async () => {
    const streams = await beyondProxy()
    await streams.send('s', question('q'))
    const cutting = proxy.cutAt('the-words-of-ann', cut)
    const answering = streams.answer('s', 'q', 'the-words-of-ann')
    await cutting.happened
    expect(await soon(answering)).toBe('answered')
    await cutting.letThrough()
    expect(await streams.answer('s', 'q', 'the-words-of-ann')).toBe('unknown')
    expect(await streams.takeReply('s', 'q', { waitMs: 0 })).toEqual({ kind: 'reply', reply: 'the-words-of-ann' })
    expect(await streams.takeReply('s', 'q', { waitMs: 0 })).toEqual({ kind: 'empty' })
  })

  it('does not make an answer of the owner in one step count twice or not at all, nor tell of it twice', async () => {
    const streams = await beyondProxy()
    const own = (words: string) => streams.answerOwn!('s', 'q', { reply: words, owner: 'ann', groups: ['ops'] })
    await streams.send('s', question('warm again'))
    await streams.answerOwn!('s', 'warm again', { reply: 'up', owner: 'ann' })
    await streams.send('s', question('q'))
    const cutting = proxy.cutAt('own-words', cut)
    const answering = own('own-words')
    await cutting.happened
    expect(await soon(answering)).not.toBe('look')
    await cutting.letThrough()
    expect(await own('own-words')).toBe('look')
    expect(await allIds(streams)).toEqual(['warm again', 'q'].map(retractionId))
    const reply = { kind: 'reply', reply: 'own-words', by: 'ann', groups: ['ops'] }
    expect(await streams.takeReply('s', 'q', { waitMs: 0 })).toEqual(reply)
    expect(await streams.takeReply('s', 'q', { waitMs: 0 })).toEqual({ kind: 'empty' })
  })

  it('is distinguished from another answer that was first, also if the reply was taken at once', async () => {
    const streams = await beyondProxy()
    const app = redisStreams({ client: raw, keyPrefix: `lost${made - 1}:` })
    opened.push(app)
    await streams.send('s', question('q'))
    const taking = app.takeReply('s', 'q', { waitMs: LONG })
    const cutting = proxy.cutAt('quick-words', cut)
    const answering = streams.answer('s', 'q', 'quick-words')
    await cutting.happened
    expect(await soon(taking)).toEqual({ kind: 'reply', reply: 'quick-words' })
    expect(await soon(answering)).toBe('answered')
    await cutting.letThrough()
    await streams.send('s', question('r'))
    await app.answer('s', 'r', 'other-words')
    expect(await streams.answer('s', 'r', 'quick-words')).toBe('unknown')
  })

  it('does not lose a reply on its way to who takes it', async () => {
    const streams = await beyondProxy()
    await streams.send('s', question('taken-question'))
    await streams.answer('s', 'taken-question', 'yes')
    const cutting = proxy.cutAt('taken-question', cut)
    const taking = streams.takeReply('s', 'taken-question', { waitMs: 0 })
    await cutting.happened
    expect(await soon(taking)).toEqual({ kind: 'reply', reply: 'yes' })
    await cutting.letThrough()
    expect(await streams.takeReply('s', 'taken-question', { waitMs: 0 })).toEqual({ kind: 'empty' })
  })

  it('does not put a message twice, nor open or retract twice', async () => {
    const streams = await beyondProxy()
    let cutting = proxy.cutAt('sent-once', cut)
    const sending = streams.send('s', note('sent-once'))
    await cutting.happened
    const position = await soon(sending)
    await cutting.letThrough()
    expect(await allIds(streams)).toEqual(['sent-once'])
    expect(await streams.send('s', note('sent-once'))).toBe(position)

    cutting = proxy.cutAt('owner-of-it', cut)
    const opening = streams.open('t', { owner: 'owner-of-it', expireSeconds: 60 })
    await cutting.happened
    await soon(opening)
    await cutting.letThrough()
    expect((await streams.describe('t'))?.owner).toBe('owner-of-it')

    await streams.send('s', question('taken-back'))
    cutting = proxy.cutAt('taken-back', cut)
    const retracting = streams.retract('s', 'taken-back')
    await cutting.happened
    expect(await soon(retracting)).toBe(true)
    await cutting.letThrough()
    expect(await allIds(streams)).toEqual(['sent-once'])
  })
})

/** Waits until a server that was out of reach answers again. */
function connected(streams: Streams): Promise<void> {
  return until(
    () =>
      streams.ping().then(
        () => true,
        () => false,
      ),
    'the connection',
  )
}

describe('while nothing can be reached', () => {
  it('calls fail in time with an error that says so, and work again afterwards', async () => {
    const streams = await beyondProxy()
    await streams.send('s', question('q'))
    proxy.set(false)
    const began = performance.now()
    const calls = [streams.send('s', note('n')), streams.answer('s', 'q', 'yes'), streams.describe('s'), streams.ping()]
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'streams_failed', retryable: true } })
      expect(String((outcome as PromiseRejectedResult).reason.message)).toContain('Redis cannot be reached')
    }
    expect(performance.now() - began).toBeLessThan(15_000)
    proxy.set(true)
    await connected(streams)
    expect(await streams.answer('s', 'q', 'yes')).toBe('answered')
  })

  it('an answer that failed and is given again is the same answer', async () => {
    const streams = await beyondProxy()
    await streams.send('s', question('q'))
    // The server does it, and is out of reach right after.
    const cutting = proxy.cutAt('said-once', 'before-answer')
    const answering = streams.answer('s', 'q', 'said-once')
    await cutting.happened
    proxy.set(false)
    await expect(answering).rejects.toMatchObject({ code: 'streams_failed' })
    proxy.set(true)
    await connected(streams)
    expect(await raw.xlen(`lost${made - 1}:human_in_loop_recv_stream:{default:s}`)).toBe(1)
    expect(await streams.answer('s', 'q', 'said-once')).toBe('answered')
    expect(await streams.answer('s', 'q', 'said-once')).toBe('unknown')
    expect(await streams.takeReply('s', 'q', { waitMs: 0 })).toEqual({ kind: 'reply', reply: 'said-once' })
  })

  it('an answer of the owner that failed and is given again is the same answer', async () => {
    const streams = await beyondProxy()
    await streams.send('s', question('q'))
    const own = () => streams.answerOwn!('s', 'q', { reply: 'own-once', owner: 'ann' })
    await streams.send('s', question('warm again'))
    await streams.answerOwn!('s', 'warm again', { reply: 'up', owner: 'ann' })
    const cutting = proxy.cutAt('own-once', 'before-answer')
    const answering = own()
    await cutting.happened
    proxy.set(false)
    await expect(answering).rejects.toMatchObject({ code: 'streams_failed' })
    proxy.set(true)
    await connected(streams)
    expect(await own()).toBe('answered')
    expect(await own()).toBe('look')
    expect(await streams.takeReply('s', 'q', { waitMs: 0 })).toEqual({ kind: 'reply', reply: 'own-once', by: 'ann' })
  })

  it('a take that failed and is made again gets the reply', async () => {
    const streams = await beyondProxy()
    await streams.send('s', question('long-ago'))
    await streams.answer('s', 'long-ago', 'yes')
    const cutting = proxy.cutAt('long-ago', 'before-answer')
    const taking = streams.takeReply('s', 'long-ago', { waitMs: 0 })
    await cutting.happened
    proxy.set(false)
    await expect(taking).rejects.toMatchObject({ code: 'streams_failed' })
    proxy.set(true)
    await connected(streams)
    expect(await streams.takeReply('s', 'long-ago', { waitMs: 0 })).toEqual({ kind: 'reply', reply: 'yes' })
    expect(await streams.takeReply('s', 'long-ago', { waitMs: 0 })).toEqual({ kind: 'empty' })
  })

  it('those who wait go on waiting, and learn what happened meanwhile', async () => {
    const streams = await beyondProxy()
    const app = redisStreams({ client: raw, keyPrefix: `lost${made - 1}:` })
    opened.push(app)
    await streams.send('s', question('q'))
    const after = await streams.send('s', question('r'))
    const taking = streams.takeReply('s', 'q', { waitMs: LONG })
    const reading = streams.read('s', { after, waitMs: LONG })
    await new Promise((resolve) => setTimeout(resolve, 100))
    proxy.set(false)
    await app.answer('s', 'q', 'meanwhile')
    await app.send('s', note('meanwhile'))
    await new Promise((resolve) => setTimeout(resolve, 300))
    proxy.set(true)
    expect(await taking).toEqual({ kind: 'reply', reply: 'meanwhile' })
    expect((await reading).kind).toBe('messages')
  })
})

describe('the connection that listens', () => {
  it('is made anew when it is killed, and nobody misses anything', async () => {
    const streams = redisStreams({ url: server.url, keyPrefix: `lost${made++}:` })
    opened.push(streams)
    await streams.open('s', { owner: 'ann', expireSeconds: 600 })
    const ids = Array.from({ length: 40 }, (_, n) => `q${n}`)
    for (const id of ids) await streams.send('s', question(id))
    const taking = ids.map((id) => streams.takeReply('s', id, { waitMs: LONG }))
    // Until they rely on being told, and sleep for long.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    for (const [n, id] of ids.entries()) {
      if (n % 10 === 5) {
        await until(async () => (await killListeners()) > 0, 'somebody who listens')
      }
      await streams.answer('s', id, id)
    }
    expect(await soon(Promise.all(taking))).toEqual(ids.map((id) => ({ kind: 'reply', reply: id })))
  })

  it('is one, and so is that for commands, however many wait', async () => {
    const before = await connections()
    const streams = redisStreams({ url: server.url, keyPrefix: `lost${made++}:` })
    opened.push(streams)
    const sessions = Array.from({ length: 400 }, (_, n) => `s${n}`)
    await Promise.all(sessions.map((session) => streams.open(session, { owner: 'ann', expireSeconds: 60 })))
    const reading = sessions.map((session) => streams.read(session, { after: '0', waitMs: LONG }))
    await until(async () => (await listenedTo()) >= sessions.length, 'all channels')
    expect(await connections()).toBe(before + 2)
    await Promise.all(sessions.map((session) => streams.send(session, note('n'))))
    for (const read of await soon(Promise.all(reading))) expect(read.kind).toBe('messages')
    expect(await connections()).toBe(before + 2)
  })
})

async function killListeners(): Promise<number> {
  return Number(await raw.call('CLIENT', 'KILL', 'TYPE', 'pubsub'))
}

async function connections(): Promise<number> {
  return String(await raw.call('CLIENT', 'LIST'))
    .trim()
    .split('\n').length
}

async function listenedTo(): Promise<number> {
  return ((await raw.call('PUBSUB', 'CHANNELS')) as string[]).length
}
