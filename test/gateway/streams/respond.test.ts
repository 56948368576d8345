import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { post, served, sessionOf, tokenOf } from '../../support/gateway/served-gateway.ts'
import { note, question } from '../../support/gateway/stream-messages.ts'

async function asked() {
  const all = await served()
  const session = await sessionOf(all.streams, 'ann')
  const message = question()
  await all.streams.send(session, message)
  const respond = (token: string, rest: object = {}) =>
    post(all.url, '/hil/respond', {
      token,
      body: { session_task_id: session, hil_msg_id: message.msg_id, msg: 'blue', ...rest },
    })
  const reply = () => all.streams.takeReply(session, message.msg_id, { waitMs: 0 })
  return { ...all, session, message, respond, reply }
}

describe('POST /hil/respond', () => {
  it.each([['blue'], [''], [{}], [{ choice: ['a', 'b'], note: null }], ['{"not": "parsed"}']])(
    'hands a reply to whoever asked: %j',
    async (msg) => {
      const { respond, reply } = await asked()
      const response = await respond(await tokenOf('ann'), { msg })
      expect(response.status).toBe(200)
      expect(await response.text()).toBe('')
      expect(await reply()).toEqual({ kind: 'reply', reply: msg, by: 'ann' })
    },
  )

  it('takes the first answer only, of any number that come at once', async () => {
    const { respond, reply } = await asked()
    const token = await tokenOf('ann')
    const responses = await Promise.all(Array.from({ length: 8 }, (_, i) => respond(token, { msg: `answer ${i}` })))
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 404)).toHaveLength(7)
    const given = await reply()
    expect(given).toEqual({ kind: 'reply', reply: `answer ${statuses.indexOf(200)}`, by: 'ann' })
    expect((await respond(token)).status).toBe(404)
  })

  it('does not know other questions, notifications, and sessions that are gone', async () => {
    const { respond, streams, session, reply } = await asked()
    const token = await tokenOf('ann')
    const told = note('read only')
    await streams.send(session, told)
    for (const hil_msg_id of [randomUUID(), 'x', '', 'x'.repeat(5000), '\ud800', '__proto__', told.msg_id]) {
      const response = await respond(token, { hil_msg_id })
      expect(response.status).toBe(404)
      expect(await response.json()).toEqual({ detail: expect.any(String) })
    }
    expect((await respond(token, { session_task_id: randomUUID() })).status).toBe(404)
    expect(await reply()).toEqual({ kind: 'empty' })
    await streams.close(session)
    expect((await respond(token)).status).toBe(404)
  })

  it('says what a reply must be', async () => {
    const { respond } = await asked()
    const token = await tokenOf('ann')
    const response = await respond(token, { msg: 1 })
    expect(await response.json()).toEqual({ detail: 'msg: must be a string or an object.' })
    const lost = await respond(token, { session_task_id: 'mine' })
    expect(await lost.json()).toEqual({ detail: 'session_task_id: must be a UUID.' })
  })

  it.each([[null], [1], [true], [['a']], [undefined]])(
    'refuses a reply that is neither text nor object: %j',
    async (msg) => {
      const { respond, reply } = await asked()
      const response = await respond(await tokenOf('ann'), { msg })
      expect(response.status).toBe(400)
      expect(await response.json()).toEqual({ detail: expect.stringContaining('msg') })
      expect(await reply()).toEqual({ kind: 'empty' })
    },
  )

  it('lets a caller who acts for the tenant answer, and nobody of another tenant', async () => {
    const { respond, reply } = await asked()
    const admin = { roles: ['admin'] }
    expect((await respond(await tokenOf('eve', { ...admin, tenant: 'other' }))).status).toBe(404)
    expect((await respond(await tokenOf('bob', { roles: ['reviewer'] }))).status).toBe(404)
    expect((await respond(await tokenOf('boss', admin))).status).toBe(200)
    expect(await reply()).toEqual({ kind: 'reply', reply: 'blue', by: 'boss' })
  })

  it('lets no agent answer, not even on its own session', async () => {
    const { respond, reply } = await asked()
    const own = await respond(await tokenOf('ann', { role: 'agent' }))
    expect(own.status).toBe(403)
    expect(await own.json()).toEqual({ detail: expect.any(String) })
    expect((await respond(await tokenOf('boss', { roles: ['agent', 'admin'] }))).status).toBe(403)
    expect((await respond(await tokenOf('bob', { role: 'agent' }))).status).toBe(404)
    expect(await reply()).toEqual({ kind: 'empty' })
  })
})
