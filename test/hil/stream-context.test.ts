import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { HilMessageStreamContext, type Streams } from '../../src/index.ts'
import { StreamsFailed } from '../../src/ports.ts'
import { soon } from '../../src/testing/store-suite/tools.ts'
import { until } from '../../src/testing/streams-suite/tools.ts'
import { describeBackends } from './backends.ts'

describeBackends('a stream context', (backend) => {
  let streams: Streams

  beforeAll(() => backend.start(), 60_000)
  afterAll(() => backend.stop())
  beforeEach(() => {
    streams = backend.create()
  })
  afterEach(() => streams.shutdown())

  const isOpen = async (session: string) => (await streams.describe(session)) !== undefined

  it('opens one session or several, and ends them at the end of the block', async () => {
    {
      await using one = await HilMessageStreamContext.open('a', { streams, owner: 'ann' })
      await using more = await HilMessageStreamContext.open(['b', 'c'], { streams, owner: 'bob', expireSeconds: 60 })
      expect(one.sessions).toEqual(['a'])
      expect(more.sessions).toEqual(['b', 'c'])
      const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((session) => streams.describe(session)))
      expect([a?.owner, b?.owner, c?.owner]).toEqual(['ann', 'bob', 'bob'])
      expect(Math.abs(a!.expiresAt - Date.now() - 3_600_000)).toBeLessThan(60_000)
      expect(Math.abs(b!.expiresAt - Date.now() - 60_000)).toBeLessThan(30_000)
    }
    for (const session of ['a', 'b', 'c']) expect(await isOpen(session)).toBe(false)
  })

  it('opens all or none', async () => {
    await streams.open('taken', { owner: 'bob', expireSeconds: 60 })
    for (const sessions of [
      ['a', 'taken', 'b'],
      ['a', 'a'],
      ['a', ''],
    ]) {
      const opening = HilMessageStreamContext.open(sessions, { streams, owner: 'ann' })
      await expect(opening).rejects.toMatchObject({ code: sessions[1] === '' ? 'input_invalid' : 'hil_stream_exists' })
      expect(await isOpen('a')).toBe(false)
      expect(await isOpen('b')).toBe(false)
    }
    expect((await streams.describe('taken'))?.owner).toBe('bob')
    await expect(HilMessageStreamContext.open([], { streams, owner: 'ann' })).rejects.toMatchObject({
      code: 'input_invalid',
    })
  })

  it('wakes those who wait when it ends', async () => {
    const context = await HilMessageStreamContext.open('a', { streams, owner: 'ann' })
    const reading = streams.read('a', { after: '0', waitMs: 30_000 })
    await context.close()
    expect(await soon(reading)).toEqual({ kind: 'missing' })
  })

  it('is closed once; disposing of a closed one is fine', async () => {
    const context = await HilMessageStreamContext.open('a', { streams, owner: 'ann' })
    await context.close()
    await expect(context.close()).rejects.toMatchObject({ code: 'hil_stream_missing', stream: 'a' })
    await context[Symbol.asyncDispose]()
    await streams.open('a', { owner: 'bob', expireSeconds: 60 })
    await context[Symbol.asyncDispose]()
    expect((await streams.describe('a'))?.owner).toBe('bob')
  })

  it('extends the expiry while it is open, also if that fails now and then', async () => {
    let extended = 0
    const shaky: Streams = {
      ...streams,
      extend: (...call) =>
        extended++ % 3 === 1
          ? Promise.reject(new StreamsFailed('Redis cannot be reached', 'tried'))
          : streams.extend(...call),
    }
    const options = { streams: shaky, owner: 'ann', expireSeconds: 1.5 }
    const context = await HilMessageStreamContext.open(['a', 'b'], options)
    const first = (await streams.describe('a'))!.expiresAt
    await until(async () => (await streams.describe('a'))!.expiresAt > first + 1600, 'a later end')
    expect(await isOpen('b')).toBe(true)
    await context.close()
    const calls = extended
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(extended).toBe(calls)
  })

  it('can be closed again when that failed', async () => {
    let failing = true
    const shaky: Streams = {
      ...streams,
      close: (session) =>
        failing && session === 'b'
          ? Promise.reject(new StreamsFailed('Redis cannot be reached', 'tried'))
          : streams.close(session),
    }
    const context = await HilMessageStreamContext.open(['a', 'b'], { streams: shaky, owner: 'ann' })
    await expect(context.close()).rejects.toMatchObject({ code: 'streams_failed' })
    expect(await isOpen('a')).toBe(false)
    failing = false
    await context.close()
    expect(await isOpen('b')).toBe(false)
  })

  it('refuses options that do not exist', async () => {
    const options = { streams, owner: 'ann', expire: 5 }
    await expect(HilMessageStreamContext.open('a', options)).rejects.toMatchObject({ code: 'input_invalid' })
    const bare = { owner: 'ann' } as unknown as typeof options
    await expect(HilMessageStreamContext.open('a', bare)).rejects.toMatchObject({ code: 'input_invalid' })
  })
})
