import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGateway, jwtAuth } from '../../src/gateway.ts'
import { memoryStreams } from '../../src/streams/memory/streams.ts'
import { post, SECRET, served, sessionOf, tokenOf } from '../support/gateway/served-gateway.ts'
import { question } from '../support/gateway/stream-messages.ts'

describe('writes of one caller', () => {
  it('are limited, whatever comes of them; Retry-After says for how long, and others are not held up', async () => {
    const { url, streams } = await served({ writeLimit: { burst: 3, perSecond: 1 } })
    const session = await sessionOf(streams, 'ann')
    const body = { session_task_id: session, hil_msg_id: randomUUID(), msg: 'x' }
    const statuses = []
    let last: Response | undefined
    for (let i = 0; i < 5; i++) {
      last = await post(url, '/hil/respond', { token: await tokenOf('ann'), body })
      statuses.push(last.status)
    }
    expect(statuses).toEqual([404, 404, 404, 429, 429])
    expect(last!.headers.get('retry-after')).toBe('1')
    expect(await last!.json()).toEqual({ detail: expect.any(String) })
    const other = await sessionOf(streams, 'bob')
    const asked = question()
    await streams.send(other, asked)
    const token = await tokenOf('bob')
    const answer = { session_task_id: other, hil_msg_id: asked.msg_id, msg: 'x' }
    expect((await post(url, '/hil/respond', { token, body: answer })).status).toBe(200)
  })
})

describe('a session of another owner', () => {
  it('is not read before it is known whose it is', async () => {
    const inner = memoryStreams()
    const calls: string[] = []
    const watch = new Proxy(inner, {
      get(target, name, receiver) {
        if (name === 'tenant') return () => receiver
        const member = Reflect.get(target, name) as unknown
        if (typeof member !== 'function') return member
        return async (...args: unknown[]) => {
          const outcome = await (member as (...given: unknown[]) => Promise<{ kind?: string }>).apply(target, args)
          calls.push(`${String(name)}:${outcome?.kind ?? typeof outcome}`)
          return outcome
        }
      },
    })
    const { url } = await served({ streams: watch })
    const session = randomUUID()
    await inner.open(session, { owner: 'ann', expireSeconds: 60 })
    const asked = question({ large: 'x'.repeat(100_000) })
    await inner.send(session, asked)
    const token = await tokenOf('eve')
    const workFor = async (id: string): Promise<string[]> => {
      calls.length = 0
      await post(url, '/hil/poll', { token, body: { session_task_id: id, timeout: 0 } })
      await post(url, '/hil/respond', { token, body: { session_task_id: id, hil_msg_id: asked.msg_id, msg: 'x' } })
      return [...calls]
    }
    const foreign = await workFor(session)
    expect(foreign).not.toContain('read:messages')
    expect(foreign.map((call) => call.split(':')[0])).toEqual(
      (await workFor(randomUUID())).map((call) => call.split(':')[0]),
    )
    expect(foreign.filter((call) => call.startsWith('question') || call.startsWith('pending'))).toEqual([])
    await inner.shutdown()
  })
})

describe('a gateway behind express.json()', () => {
  it('says that the body was read before it, and how to mend that', async () => {
    const streams = memoryStreams()
    const told: string[] = []
    const logger = {
      info: () => undefined,
      warn: () => undefined,
      error: (_: object, text: string) => void told.push(text),
    }
    const gateway = createGateway({
      streams,
      logger,
      auth: jwtAuth({ secret: SECRET, issuer: 'tests', audience: 'gateway' }),
    })
    const app = express()
    app.use(express.json())
    app.use(getRequestListener(gateway.fetch))
    const server = createServer(app)
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    onTestFinished(async () => {
      server.closeAllConnections()
      server.close()
      await streams.shutdown()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const began = performance.now()
    const response = await post(url, '/hil/poll', {
      token: await tokenOf('ann'),
      body: { session_task_id: randomUUID() },
    })
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({ detail: expect.stringContaining('express.json()') })
    expect(told.join()).toContain('express.json()')
    expect(performance.now() - began).toBeLessThan(5000)
  })
})
