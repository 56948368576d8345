import { describe, expect, it } from 'vitest'
import type { Session, SessionChange } from '../../src/client.ts'
import { until } from '../support/until.ts'
import { type Answer, json, withServer } from './fake-gateway.ts'
import { idsOf, note, question, retraction } from './wire-messages.ts'

const S = '550e8400-e29b-41d4-a716-446655440000'

/** A gateway with a stream that grows while it is read: position n is the nth message. */
function growing(messages: object[], respond: Answer = (_, response) => json(response, 200)): Answer {
  return async (got, response) => {
    if (got.path === '/hil/respond') return respond(got, response)
    const next = Number(got.body.redis_last_id)
    const end = Date.now() + (got.body.timeout as number) * 1000
    while (messages.length <= next && Date.now() < end && !response.destroyed) {
      await new Promise((resolve) => {
        setTimeout(resolve, 5)
      })
    }
    const message = messages[next] as { gone?: boolean } | undefined
    if (!message) return json(response, 204)
    if (message.gone) return json(response, 404)
    json(response, 200, { redis_last_id: String(next + 1), HIL_msg: message })
  }
}

function watch(session: Session): SessionChange[] {
  const changes: SessionChange[] = []
  session.subscribe((change) => changes.push(change))
  return changes
}

describe('a session', () => {
  it('lists the open questions, and reports changes', () => {
    const stream = [question('a'), note('n'), question('b')] as object[]
    return withServer(growing(stream), async ({ client }) => {
      const session = client().session(S)
      const changes = watch(session)
      expect(session).toMatchObject({ id: S, state: 'connecting', lastId: '0', pending: [] })
      await until(() => session.pending.length === 2)
      const before = session.pending
      expect(idsOf(before)).toEqual(['a', 'b'])
      expect(session).toMatchObject({ state: 'open', lastId: '3' })
      expect(await session.respond('a', 'yes')).toBe('answered')
      expect(idsOf(session.pending)).toEqual(['b'])
      expect(idsOf(before)).toEqual(['a', 'b'])
      stream.push(retraction('r', 'b'))
      await until(() => session.pending.length === 0)
      stream.push({ gone: true })
      await session.ended
      expect(session).toMatchObject({ state: 'gone', pending: [], error: undefined })
      expect(changes.map((change) => ('state' in change ? change.state : change.type))).toEqual([
        ...['open', 'message', 'message', 'message', 'settled', 'message', 'settled', 'gone'],
      ])
    })
  })

  it('does not show a question twice', () =>
    withServer(growing([question('a'), question('a')]), async ({ client }) => {
      const session = client().session(S)
      await until(() => session.lastId === '2')
      expect(idsOf(session.pending)).toEqual(['a'])
      session.close()
      await session.ended
      expect(session.state).toBe('closed')
    }))

  it('keeps a question whose reply was refused, and drops one that others answered', () => {
    const statuses = [400, 404]
    const respond: Answer = (_, response) => json(response, statuses.shift() ?? 500, { detail: 'no' })
    return withServer(growing([question('a')], respond), async ({ client }) => {
      const session = client().session(S)
      await until(() => session.pending.length === 1)
      await expect(session.respond('a', 'perhaps')).rejects.toMatchObject({ code: 'bad_request' })
      expect(idsOf(session.pending)).toEqual(['a'])
      expect(await session.respond('a', 'yes')).toBe('gone')
      expect(session.pending).toEqual([])
      session.close()
    })
  })

  it('reports that it retries, and that it is connected again', () => {
    let down = false
    const stream = [question('a')] as object[]
    const usual = growing(stream)
    return withServer(
      (got, response) => (down ? json(response, 503) : usual(got, response)),
      async ({ client, requests }) => {
        const session = client({ pollTimeoutSeconds: 0, pollIntervalMs: 10 }).session(S)
        const changes = watch(session)
        await until(() => session.pending.length === 1)
        down = true
        await until(() => session.state === 'retrying')
        const asked = requests.length
        await until(() => requests.length > asked + 2)
        down = false
        await until(() => session.state === 'open')
        expect(idsOf(session.pending)).toEqual(['a'])
        expect(changes.flatMap((change) => ('state' in change ? [change.state] : []))).toEqual([
          ...['open', 'retrying', 'open'],
        ])
        session.close()
      },
    )
  })

  it('survives a storm of refused tokens if it can renew them, and ends when none is accepted for long', () => {
    let refuses = false
    let asked = 0
    const stream = [question('a')] as object[]
    const answer = growing(stream)
    return withServer(
      (got, response) => (refuses ? json(response, 401, { detail: 'unknown key' }) : answer(got, response)),
      async ({ client, requests }) => {
        const token = () => `token ${++asked}`
        const session = client({ token, pollTimeoutSeconds: 1 }).session(S)
        await until(() => session.pending.length === 1)
        refuses = true
        await until(() => session.state === 'retrying')
        expect(idsOf(session.pending)).toEqual(['a'])
        refuses = false
        stream.push(question('b'))
        await until(() => session.pending.length === 2)
        expect(session).toMatchObject({ state: 'open', error: undefined })
        refuses = true
        const before = requests.length
        await session.ended
        expect(session).toMatchObject({ state: 'closed', error: { code: 'unauthorized' } })
        expect(requests.length - before).toBeLessThan(20)
      },
    )
  })

  it('that is refused is closed, with the reason', () =>
    withServer(
      (_, response) => json(response, 401, { detail: 'who are you?' }),
      async ({ client }) => {
        const session = client().session(S)
        await session.ended
        expect(session.state).toBe('closed')
        expect(session.error).toMatchObject({ code: 'unauthorized', detail: 'who are you?' })
      },
    ))

  it('is not harmed by a listener that throws, nor by one that left', () =>
    withServer(growing([question('a'), { gone: true }]), async ({ client }) => {
      const session = client().session(S)
      session.subscribe(() => {
        throw new Error('mine')
      })
      const heard: SessionChange[] = []
      session.subscribe((change) => heard.push(change))()
      const changes = watch(session)
      await session.ended
      expect(changes.at(-1)).toEqual({ type: 'state', state: 'gone' })
      expect(heard).toEqual([])
    }))
})
