import { rmSync } from 'node:fs'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, it } from 'vitest'
import type { Streams } from '../../src/ports/streams.ts'
import { redisStreams } from '../../src/redis.ts'
import { soon } from '../../src/testing/store-suite/tools.ts'
import { allIds, assertGone, messagesOf, note, question, until } from '../../src/testing/streams-suite/tools.ts'
import { type RedisServer, type RedisServerOptions, startRedis } from '../support/servers/redis-server.ts'
import { hasLooked } from './has-looked.ts'

const LONG = 60_000
const ends: (() => unknown)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A server of its own, streams on it with an open session, and a bare client. */
async function onServer(
  options: RedisServerOptions & { timeoutMs?: number } = {},
): Promise<{ server: RedisServer; streams: Streams; raw: Redis }> {
  const { timeoutMs = 5000, ...serverOptions } = options
  const server = await startRedis(serverOptions)
  ends.push(() => server.remove())
  const raw = new Redis(server.url)
  raw.on('error', () => undefined)
  ends.push(() => raw.disconnect())
  const streams = redisStreams({ url: server.url, timeoutMs })
  ends.push(() => streams.shutdown())
  await streams.open('s', { owner: 'ann', expireSeconds: 600 })
  return { server, streams, raw }
}

const KEYS = ['session', 'msg_ids', 'send_stream', 'recv_stream'].map(
  (name) => `holdpoint:human_in_loop_${name}:{default:s}`,
)
const SEND = KEYS[2]!

describe('a server that is killed under load and started again', () => {
  it('has every answer that was accepted, once, and who waits gets it', async () => {
    const { server, streams } = await onServer({ durable: true })
    const ids = Array.from({ length: 150 }, (_, n) => `q${n}`)
    for (const id of ids) await streams.send('s', question(id))
    const taking = ids.map((id) => streams.takeReply('s', id, { waitMs: LONG }))
    const gateways = [0, 1].map(() => redisStreams({ url: server.url }))
    for (const gateway of gateways) ends.push(() => gateway.shutdown())
    const accepted = new Map<string, string>()
    let begun = 0

    /** Two gateways pass on two answers to each question, and try again until they know what came of it. */
    async function answerAll(gateway: Streams, name: string): Promise<void> {
      for (const id of ids) {
        begun++
        for (let settled = false; !settled; ) {
          try {
            if ((await gateway.answer('s', id, `${name} to ${id}`)) === 'answered') accepted.set(id, `${name} to ${id}`)
            settled = true
          } catch (error) {
            expect(error).toMatchObject({ code: 'streams_failed' })
          }
        }
      }
    }

    const answering = Promise.all(gateways.map((gateway, n) => answerAll(gateway, `gateway ${n}`)))
    for (const share of [0.3, 1]) {
      await until(async () => begun > ids.length * share, 'some answers')
      await server.crash()
      await server.start()
    }
    await answering
    expect([...accepted.keys()].sort()).toEqual([...ids].sort())
    const taken = await Promise.all(taking)
    expect(taken).toEqual(ids.map((id) => ({ kind: 'reply', reply: accepted.get(id) })))
    expect(await allIds(streams)).toEqual([])
  })

  it('wakes those who wait by itself, without their doing anything', async () => {
    const { server, streams } = await onServer({ durable: true })
    await streams.send('s', question('q'))
    const taking = streams.takeReply('s', 'q', { waitMs: LONG })
    await hasLooked(streams, 's')
    await server.crash()
    await new Promise((resolve) => setTimeout(resolve, 500))
    await server.start()
    const other = redisStreams({ url: server.url })
    ends.push(() => other.shutdown())
    expect(await other.answer('s', 'q', 'yes')).toBe('answered')
    expect(await taking).toEqual({ kind: 'reply', reply: 'yes' })
  })

  it('without data says that the session is gone', async () => {
    const { server, streams } = await onServer()
    await streams.send('s', question('q'))
    const taking = streams.takeReply('s', 'q', { waitMs: LONG })
    await hasLooked(streams, 's')
    await server.crash()
    await server.start()
    expect(await taking).toEqual({ kind: 'missing' })
    await assertGone(streams, 's')
    await streams.open('s', { owner: 'ann', expireSeconds: 60 })
  })
})

describe('a server that refuses', () => {
  it('for want of memory says so, changes nothing, and still lets go of what there is', async () => {
    const { streams, raw } = await onServer()
    for (const id of ['q', 'r', 't']) await streams.send('s', question(id))
    await streams.answer('s', 'q', 'yes')
    await raw.config('SET', 'maxmemory', '1')
    for (const refused of [
      () => streams.send('s', note('n')),
      () => streams.answer('s', 'r', 'no'),
      () => streams.open('other', { owner: 'ann', expireSeconds: 60 }),
    ]) {
      await expect(refused()).rejects.toMatchObject({
        code: 'streams_failed',
        message: expect.stringContaining('raise maxmemory'),
      })
    }
    expect(await allIds(streams)).toEqual(['r', 't'])
    expect(await streams.describe('other')).toBeUndefined()
    expect(await streams.extend('s', { expireSeconds: 600 })).toBe(true)
    expect(await streams.takeReply('s', 'q', { waitMs: 0 })).toEqual({ kind: 'reply', reply: 'yes' })
    expect(await streams.retract('s', 't')).toBe(true)
    await raw.config('SET', 'maxmemory', '0')
    expect(await streams.answer('s', 'r', 'no')).toBe('answered')
    expect(await streams.takeReply('s', 'r', { waitMs: 0 })).toEqual({ kind: 'reply', reply: 'no' })
  })

  it('because its disk fails says so, and changes nothing', async () => {
    const { server, streams, raw } = await onServer({ settings: ['--save', '3600 1'] })
    await streams.send('s', question('q'))
    rmSync(server.folder, { recursive: true })
    await raw.bgsave().catch(() => undefined)
    await until(async () => (await raw.info('persistence')).includes('rdb_last_bgsave_status:err'), 'the failure')
    await expect(streams.answer('s', 'q', 'yes')).rejects.toMatchObject({
      code: 'streams_failed',
      message: expect.stringContaining('free disk space'),
    })
    await raw.config('SET', 'stop-writes-on-bgsave-error', 'no')
    expect(await allIds(streams)).toEqual(['q'])
    expect(await streams.answer('s', 'q', 'yes')).toBe('answered')
  })

  it('because it became a replica says so, and works again when it is a primary', async () => {
    const { streams, raw } = await onServer()
    await streams.send('s', question('q'))
    await raw.replicaof('127.0.0.1', 1)
    await expect(streams.answer('s', 'q', 'yes')).rejects.toMatchObject({
      code: 'streams_failed',
      message: expect.stringContaining('connect to the primary'),
    })
    await raw.replicaof('NO', 'ONE')
    expect(await streams.answer('s', 'q', 'yes')).toBe('answered')
  })

  it('a user who may not', async () => {
    const { server, raw } = await onServer()
    await raw.acl('SETUSER', 'weak', 'on', '>word', '~*', '&*', '+@read', '+ping', '+info')
    const weak = redisStreams({ url: `redis://weak:word@127.0.0.1:${server.port}` })
    ends.push(() => weak.shutdown())
    await expect(weak.describe('s')).rejects.toMatchObject({ message: expect.stringContaining('extend its ACL') })
    const wrong = redisStreams({ url: `redis://weak:wrong@127.0.0.1:${server.port}`, timeoutMs: 2000 })
    ends.push(() => wrong.shutdown())
    await expect(wrong.describe('s')).rejects.toMatchObject({ code: 'streams_failed' })
  })

  it('does not answer at all: calls fail in time', async () => {
    const { server, streams } = await onServer({ timeoutMs: 300 })
    await streams.send('s', question('q'))
    server.freeze(true)
    const refusal = { code: 'streams_failed', message: expect.stringContaining('no answer within 300 ms') }
    await expect(streams.describe('s')).rejects.toMatchObject(refusal)
    await expect(streams.answer('s', 'q', 'yes')).rejects.toMatchObject(refusal)
    server.freeze(false)
    // It was only late; saying the same again finds that out.
    expect(await streams.answer('s', 'q', 'yes')).toBe('answered')
    expect(await streams.takeReply('s', 'q', { waitMs: 0 })).toEqual({ kind: 'reply', reply: 'yes' })
  })
})

describe('what others did to the keys', () => {
  it('a session of which any key is gone is no session, and can be opened again', async () => {
    const { streams, raw } = await onServer()
    for (const key of KEYS) {
      await streams.send('s', question('q'))
      await streams.send('s', question('answered'))
      await streams.answer('s', 'answered', 'yes')
      expect(await raw.exists(...KEYS)).toBe(4)
      expect(await raw.del(key)).toBe(1)
      await assertGone(streams, 's')
      expect(await raw.exists(...KEYS)).toBe(0)
      await streams.open('s', { owner: 'ann', expireSeconds: 600 })
      expect(await allIds(streams)).toEqual([])
    }
  })

  it('all keys expire in the same instant', async () => {
    const { streams, raw } = await onServer()
    const times = async () => Promise.all(KEYS.map((key) => raw.pexpiretime(key)))
    const opened = await times()
    expect(new Set(opened).size).toBe(1)
    await streams.send('s', question('q'))
    await streams.answer('s', 'q', 'yes')
    expect(await times()).toEqual(opened)
    await streams.extend('s', { expireSeconds: 900 })
    const extended = await times()
    expect(new Set(extended).size).toBe(1)
    expect(extended[0]).toBe((await streams.describe('s'))?.expiresAt)
    expect(extended[0]).toBeGreaterThan(opened[0]!)
  })

  it('invalid messages are reported as broken, and reading continues after them', async () => {
    const { streams, raw } = await onServer()
    const content = JSON.stringify(question('x').content)
    const spoilt = [
      ['anything', '\x00\xff'],
      ['v', '1'],
      ['v', '2', 'msg_id', 'x', 'msg_type', 'Notification', 'content', '{}'],
      ['v', '1', 'msg_id', 'x', 'msg_type', 'Notification', 'content', '{"a":'],
      ['v', '1', 'msg_id', 'x', 'msg_type', 'Notification', 'content', '"text"'],
      ['v', '1', 'msg_id', 'x', 'msg_type', 'HIL_interrupt_request', 'content', '{"source":"agent_tool_call"}'],
      ['v', '1', 'msg_id', 'x', 'msg_type', 'Shell', 'content', content],
      ['__proto__', '1', 'content', content],
      ['v', '1', 'msg_type', 'HIL_interrupt_request', 'content', content],
    ]
    for (const fields of spoilt) await raw.xadd(SEND, '*', ...fields)
    const position = await streams.send('s', question('good'))
    const messages = messagesOf(await streams.read('s', { after: '0', limit: 50 }))
    expect(messages.slice(0, -1).every((each) => 'broken' in each && each.broken.length > 0)).toBe(true)
    expect(messages).toHaveLength(spoilt.length + 1)
    expect(messages.at(-1)).toEqual({ position, message: question('good') })
    expect(messagesOf(await streams.pending('s'))).toEqual([{ position, message: question('good') }])
    expect(await streams.answer('s', 'good', 'yes')).toBe('answered')
  })

  it('scripts that the server forgot are sent again', async () => {
    const { streams, raw } = await onServer()
    await streams.send('s', question('q'))
    await raw.script('FLUSH')
    const taking = streams.takeReply('s', 'q', { waitMs: 5000 })
    expect(await streams.answer('s', 'q', 'yes')).toBe('answered')
    expect(await soon(taking)).toEqual({ kind: 'reply', reply: 'yes' })
  })

  it('a client with a prefix of its own works, and is left open', async () => {
    const { server, raw } = await onServer()
    const client = new Redis(server.url, { keyPrefix: 'mine:' })
    ends.push(() => client.disconnect())
    const streams = redisStreams({ client })
    await streams.open('p', { owner: 'ann', expireSeconds: 60 })
    const reading = streams.read('p', { after: '0', waitMs: 5000 })
    await new Promise((resolve) => setTimeout(resolve, 50))
    await streams.send('p', note('n'))
    expect((await soon(reading)).kind).toBe('messages')
    await streams.shutdown()
    expect(await client.ping()).toBe('PONG')
    expect(await raw.exists('mine:holdpoint:human_in_loop_send_stream:{default:p}')).toBe(1)
  })
})

it('answering costs the same in a session with thousands of messages', async () => {
  const { streams, raw } = await onServer()
  const work = async (id: string): Promise<Record<string, number>> => {
    await streams.send('s', question(id))
    await raw.config('RESETSTAT')
    expect(await streams.answer('s', id, 'yes')).toBe('answered')
    expect(await streams.takeReply('s', id, { waitMs: 0 })).toEqual({ kind: 'reply', reply: 'yes' })
    await streams.ping()
    const lines = (await raw.info('commandstats')).matchAll(/cmdstat_([^:|]+)[^:]*:calls=(\d+)/g)
    return Object.fromEntries([...lines].map(([, name, calls]) => [name!, Number(calls)]))
  }
  await work('warm')
  const early = await work('early')
  for (let n = 0; n < 20; n++) {
    const many = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? note(`n${n}.${i}`) : question(`q${n}.${i}`)))
    await Promise.all(many.map((message) => streams.send('s', message)))
  }
  const late = await work('late')
  expect(late).toEqual(early)
  // Which of these could cost more for more: a range, and it is of one position.
  expect(late).toMatchObject({ xadd: 1, xrange: 1 })
  for (const costly of ['xread', 'xrevrange', 'hgetall', 'keys', 'scan']) expect(late).not.toHaveProperty(costly)
})

it('options that cannot be meant are refused', () => {
  const refusal = { code: 'input_invalid' }
  const url = 'redis://127.0.0.1:1'
  const given: object[] = [
    {},
    { url, client: {} },
    { url, keyprefix: 'a' },
    { url, keyPrefix: 'a{b}' },
    { url, timeoutMs: 0 },
  ]
  for (const options of given) expect(() => redisStreams(options)).toThrow(expect.objectContaining(refusal))
})
