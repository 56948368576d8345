import { describe, expect, it } from 'vitest'
import { ClientError, createClient } from '../../src/client.ts'
import { until } from '../support/until.ts'
import { json, withServer } from './fake-gateway.ts'

const S = '550e8400-e29b-41d4-a716-446655440000'

describe('a reply', () => {
  it('is sent unchanged, and accepted', () =>
    withServer(
      (_, response) => json(response, 200),
      async ({ client, requests }) => {
        expect(await client().respond(S, 'm', { decision: { type: 'approve' } })).toBe('answered')
        expect(await client().respond(S, 'm', '')).toBe('answered')
        const terms = { comment: 'ok', always: true, undoSeconds: 5 }
        expect(await client().respond(S, 'm', 'yes', { ...terms, tries: 2 })).toBe('answered')
        expect(requests.map(({ path, body }) => [path, body])).toEqual([
          ['/hil/respond', { session_task_id: S, hil_msg_id: 'm', msg: { decision: { type: 'approve' } } }],
          ['/hil/respond', { session_task_id: S, hil_msg_id: 'm', msg: '' }],
          ['/hil/respond', { session_task_id: S, hil_msg_id: 'm', msg: 'yes', ...terms }],
        ])
      },
    ))

  it('to a question that is gone was not accepted', () =>
    withServer(
      (_, response) => json(response, 404, { detail: 'unknown message' }),
      async ({ client, requests }) => {
        expect(await client().respond(S, 'm', 'yes')).toBe('gone')
        expect(requests).toHaveLength(1)
      },
    ))

  it('may have been accepted, if the connection broke and the question is gone afterwards', () => {
    // As it is with a real gateway: the first try was stored, and only its confirmation was lost.
    let stored = 0
    return withServer(
      (_, response) => {
        stored += 1
        if (stored === 1) return void response.destroy()
        json(response, 404, { detail: 'unknown message' })
      },
      async ({ client }) => {
        expect(await client().respond(S, 'm', 'yes')).toBe('maybe')
        expect(stored).toBe(2)
      },
    )
  })

  it.each([
    ['a broken connection', undefined],
    ['500', 500],
    ['503', 503],
    ['429', 429],
  ])('is tried again after %s', (_, status) => {
    let failures = 2
    return withServer(
      (_got, response) => {
        if (failures-- <= 0) return json(response, 200)
        if (status === undefined) response.destroy()
        else json(response, status)
      },
      async ({ client, requests }) => {
        expect(await client().respond(S, 'm', 'yes')).toBe('answered')
        expect(requests).toHaveLength(3)
      },
    )
  })

  it('that was refused before it was processed was certainly not accepted', () => {
    let asked = 0
    return withServer(
      (_, response) => {
        asked += 1
        json(response, asked === 1 ? 429 : 404)
      },
      async ({ client }) => {
        expect(await client().respond(S, 'm', 'yes')).toBe('gone')
      },
    )
  })

  it('that does not fit is a typed error with the reason', () =>
    withServer(
      (_, response) => json(response, 400, { detail: 'a confirm is answered with true or false' }),
      async ({ client, requests }) => {
        const error = await client()
          .respond(S, 'm', 'perhaps')
          .catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(ClientError)
        expect(error).toMatchObject({
          code: 'bad_request',
          status: 400,
          detail: 'a confirm is answered with true or false',
        })
        expect(requests).toHaveLength(1)
      },
    ))

  it('that never reaches the gateway ends in a typed error', () =>
    withServer(
      (_, response) => json(response, 503, { detail: 'restarting' }),
      async ({ client, requests }) => {
        const sent = client().respond(S, 'm', 'yes', { tries: 3 })
        await expect(sent).rejects.toMatchObject({ code: 'unreachable', status: 503 })
        expect(requests).toHaveLength(3)
      },
    ))

  it('is abandoned when its signal fires', () =>
    withServer(
      () => undefined,
      async ({ client, requests }) => {
        const stop = new AbortController()
        const sent = client().respond(S, 'm', 'yes', { signal: stop.signal })
        await until(() => requests.length > 0)
        stop.abort(new Error('enough'))
        await expect(sent).rejects.toThrow('enough')
      },
    ))

  it('says why the gateway could not be reached', async () => {
    const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    const fetch = () => Promise.reject(refused)
    const client = createClient({ url: '', token: 'x', fetch, backoff: { initialMs: 1, maxMs: 1 } })
    const sent = client.respond(S, 'm', 'yes', { tries: 2 })
    await expect(sent).rejects.toThrow('could not be delivered in 2 tries: TypeError: fetch failed (ECONNREFUSED)')
  })
})
