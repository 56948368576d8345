import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/index.ts'
import { memoryStreams } from '../../src/streams/memory/streams.ts'
import { fakeClock } from '../../src/testing.ts'
import { post, served, sessionOf, tokenOf } from '../support/gateway/served-gateway.ts'
import { question } from '../support/gateway/stream-messages.ts'

/** All that a caller can tell two answers apart by. */
async function shapeOf(response: Response): Promise<string> {
  const headers = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  return JSON.stringify([response.status, response.statusText, headers, await response.text()])
}

describe('sessions of others', () => {
  it.each([
    ['with a store', memoryStore()],
    ['without one', undefined],
  ])('cannot be told from sessions that are not there, %s', async (_, store) => {
    const clock = fakeClock()
    const streams = memoryStreams({ clock })
    const { url } = await served({ streams, ...(store ? { store } : {}) })
    const token = await tokenOf('ann')
    const expired = await sessionOf(streams, 'ann')
    clock.advance(61_000)
    const foreign = await sessionOf(streams, 'bob')
    const elsewhere = await sessionOf(streams.tenant('acme'), 'ann')
    const closed = await sessionOf(streams, 'ann')
    await streams.close(closed)
    const asked = question()
    for (const each of [streams, streams.tenant('acme')]) {
      await each.send(each === streams ? foreign : elsewhere, asked)
    }
    const shapes = { poll: new Set<string>(), respond: new Set<string>(), events: new Set<string>() }
    for (const session_task_id of [foreign, foreign.toUpperCase(), elsewhere, closed, expired, randomUUID()]) {
      for (const timeout of [0, 30])
        shapes.poll.add(await shapeOf(await post(url, '/hil/poll', { token, body: { session_task_id, timeout } })))
      for (const hil_msg_id of [asked.msg_id, randomUUID()]) {
        const body = { session_task_id, hil_msg_id, msg: 'mine now' }
        shapes.respond.add(await shapeOf(await post(url, '/hil/respond', { token, body })))
        const agent = await tokenOf('ann', { role: 'agent' })
        shapes.respond.add(await shapeOf(await post(url, '/hil/respond', { token: agent, body })))
      }
      const headers = { authorization: `Bearer ${token}` }
      shapes.events.add(await shapeOf(await fetch(`${url}/hil/events?session_task_id=${session_task_id}`, { headers })))
    }
    const [only, ...more] = new Set([...shapes.poll, ...shapes.respond, ...shapes.events])
    expect(more).toEqual([])
    expect(JSON.parse(only!)[0]).toBe(404)
    expect(await streams.pending(foreign)).toMatchObject({ kind: 'messages' })
  })

  it('are never read or answered by anybody who may not, whatever is tried in whatever order', async () => {
    const streams = memoryStreams()
    const { url } = await served({ streams })
    const people = [
      { sub: 'ann', tenant: 'default', roles: [] },
      { sub: 'bob', tenant: 'default', roles: ['reviewer'] },
      { sub: 'ann', tenant: 'acme', roles: [] },
      { sub: 'boss', tenant: 'acme', roles: ['admin'] },
      { sub: 'robot', tenant: 'default', roles: ['agent', 'operator'] },
    ]
    const tokens = await Promise.all(people.map(({ sub, tenant, roles }) => tokenOf(sub, { tenant, roles })))
    const owners = [
      { sub: 'ann', tenant: 'default' },
      { sub: 'bob', tenant: 'default' },
      { sub: 'ann', tenant: 'acme' },
    ]
    const attempt = fc.record({
      who: fc.nat(people.length - 1),
      whose: fc.nat(owners.length - 1),
      what: fc.constantFrom('poll', 'respond'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 8 }), async (attempts) => {
        const sessions = await Promise.all(owners.map(({ sub, tenant }) => sessionOf(streams.tenant(tenant), sub)))
        const asked = owners.map(({ sub, tenant }) => question({ for: `${sub} of ${tenant}` }))
        for (const [i, { tenant }] of owners.entries()) await streams.tenant(tenant).send(sessions[i]!, asked[i]!)
        const open = new Set(sessions)
        for (const { who, whose, what } of attempts) {
          const person = people[who]!
          const owner = owners[whose]!
          const session = sessions[whose]!
          const acts = person.roles.includes('admin') || person.roles.includes('operator')
          const sees = person.tenant === owner.tenant && (person.sub === owner.sub || acts)
          const token = tokens[who]!
          if (what === 'poll') {
            const response = await post(url, '/hil/poll', { token, body: { session_task_id: session, timeout: 0 } })
            expect(response.status).toBe(sees ? 200 : 404)
            const shown = await response.text()
            if (!sees) expect(shown).not.toContain(owner.sub)
            // What was answered is off every screen: what is left is the word that it is.
            else expect(shown).toContain(open.has(session) ? 'HIL_interrupt_request' : 'Retracted')
          } else {
            const body = { session_task_id: session, hil_msg_id: asked[whose]!.msg_id, msg: person.sub }
            const response = await post(url, '/hil/respond', { token, body })
            const answers = sees && !person.roles.includes('agent')
            expect(response.status).toBe(!sees ? 404 : !answers ? 403 : open.has(session) ? 200 : 404)
            if (answers) open.delete(session)
          }
        }
      }),
      { numRuns: 40 },
    )
  })
})
