import { describe, expect, it } from 'vitest'
import { memorySession, memoryStore, RunState, run, type Session, StoreFailed, storeSession } from '../../src/index.ts'
import { InputInvalid, SessionFailed } from '../../src/ports.ts'
import { failedWith, refused } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { streaming } from '../support/agents/streaming-agent.ts'
import { readAll } from '../support/read-all.ts'
import { typesOf } from '../support/stores/entries.ts'
import { brings, intercept } from '../support/stores/wrapped-stores.ts'
import { assertSound, brief } from './history.ts'
import { plainSession } from './plain-session.ts'

const kinds: [string, () => Session][] = [
  ['in memory', () => memorySession()],
  ['in a store', () => storeSession({ store: memoryStore(), sessionId: 's' })],
  ['of somebody else', () => plainSession()],
]

describe.each(kinds)('a session %s', (_name, open) => {
  it('is what the next run remembers', async () => {
    const session = open()
    const { agent, model } = scripted(
      ['Hello Ann.', calls(['a', 'look'], ['b', 'look']), 'Seen.', 'Bye.'],
      [free('look')],
    )
    await run(agent, 'I am Ann.', { session })
    await run(agent, 'Look twice.', { session })
    const done = await run(agent, 'Bye.', { session })
    const items = await session.getItems()
    expect(brief(items)).toEqual([
      'user: I am Ann.',
      'Hello Ann.',
      'user: Look twice.',
      '+a+b',
      '=a',
      '=b',
      'Seen.',
      'user: Bye.',
      'Bye.',
    ])
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
    expect(brief(model.requests.at(-1)?.messages)).toEqual(brief(items).slice(0, -1))
    expect(brief(done.state.messages)).toEqual(brief(items))
  })

  it('has no call without its result at a pause, and the resumed turn once', async () => {
    const session = open()
    const { agent, model } = scripted(
      [calls(['a', 'look']), calls(['b', 'pay'], ['c', 'look']), 'Meanwhile.', 'Paid.', 'Bye.'],
      [gated('pay'), free('look')],
    )
    const paused = await run(agent, 'Pay.', { session })
    expect(only(paused).toolCallId).toBe('b')
    expect(brief(await session.getItems())).toEqual(['user: Pay.', '+a', '=a'])

    // Somebody else uses the session meanwhile.
    await run(agent, 'Hello?', { session })
    assertSound(model.requests.at(-1)?.messages)

    // Running without a decision adds nothing.
    expect((await run(agent, paused.state, { session })).status).toBe('interrupted')
    const restored = await RunState.fromString(agent, paused.state.toString())
    await restored.approve('b')
    expect((await run(agent, restored, { session })).finalOutput).toBe('Paid.')
    expect(brief(await session.getItems())).toEqual([
      'user: Pay.',
      '+a',
      '=a',
      'user: Hello?',
      'Meanwhile.',
      '+b+c',
      '=b',
      '=c',
      'Paid.',
    ])
    await run(agent, 'Bye.', { session })
    assertSound(model.requests.at(-1)?.messages)
    expect(model.requests.at(-1)?.messages).toHaveLength(10)
  })

  it('is not added to twice by a run that is resumed twice from one text', async () => {
    const session = open()
    const { agent } = scripted([calls(['a', 'pay']), 'Paid.', 'Paid again.'], [gated('pay')])
    const paused = await run(agent, 'Pay.', { session })
    await paused.state.approve('a')
    const text = paused.state.toString()
    await run(agent, await RunState.fromString(agent, text), { session })
    // The process died before it stored the new text.
    await run(agent, await RunState.fromString(agent, text), { session })
    expect(brief(await session.getItems())).toEqual(['user: Pay.', '+a', '=a', 'Paid.'])
  })

  it('has the results of a run whose model failed afterwards, and the rest when it goes on', async () => {
    const session = open()
    const { agent } = scripted([calls(['a', 'pay']), new Error('no network'), 'Paid.'], [gated('pay')])
    const paused = await run(agent, 'Pay.', { session })
    await paused.state.approve('a')
    const failed = await run(agent, paused.state, { session })
    expect(failed.status).toBe('failed')
    expect(brief(await session.getItems())).toEqual(['user: Pay.', '+a', '=a'])
    await run(agent, failed.state, { session })
    expect(brief(await session.getItems())).toEqual(['user: Pay.', '+a', '=a', 'Paid.'])
  })

  it('may be trimmed while a run waits: what is gone stays gone', async () => {
    const session = open()
    const { agent, model } = scripted(
      [calls(['a', 'look']), calls(['b', 'pay']), 'Paid.', 'Bye.'],
      [gated('pay'), free('look')],
    )
    const paused = await run(agent, 'Pay.', { session })
    expect(await session.popItem()).toMatchObject({ role: 'tool', toolCallId: 'a' })
    await paused.state.approve('b')
    await run(agent, paused.state, { session })
    expect(brief(await session.getItems())).toEqual(['user: Pay.', '+a', '+b', '=b', 'Paid.'])
    await run(agent, 'Bye.', { session })
    assertSound(model.requests.at(-1)?.messages)
    expect(brief(model.requests.at(-1)?.messages)).toEqual(['user: Pay.', '+b', '=b', 'Paid.', 'user: Bye.'])
    await session.clearSession()
    expect(await session.getItems()).toEqual([])
    expect(await session.popItem()).toBeUndefined()
  })

  it('is read up to a limit, without half a turn', async () => {
    const session = open()
    const { agent, model } = scripted([calls(['a', 'look'], ['b', 'look']), 'Seen.', 'Bye.'], [free('look')])
    await run(agent, 'Look.', { session })
    await run(agent, 'Bye.', { session, sessionLimit: 3 })
    expect(brief(model.requests.at(-1)?.messages)).toEqual(['Seen.', 'user: Bye.'])
    expect(await session.getItems()).toHaveLength(7)
  })

  it('serves streamed runs in the same way', async () => {
    const session = open()
    const { agent } = streaming([calls(['a', 'pay']), 'All paid.'], [gated('pay')])
    const stream = await run(agent, 'Pay.', { session, stream: true })
    await readAll(stream)
    expect(brief(await session.getItems())).toEqual(['user: Pay.'])
    await stream.state.approve('a')
    await readAll(await run(agent, stream.state, { session, stream: true }))
    expect(brief(await session.getItems())).toEqual(['user: Pay.', '+a', '=a', 'All paid.'])
  })

  it('keeps each turn together when two runs add to it at once', async () => {
    const session = open()
    const made = [0, 1, 2, 3].map((n) =>
      scripted([calls([`a${n}`, 'look'], [`b${n}`, 'look']), 'Seen.'], [free('look')]),
    )
    await Promise.all(made.map(({ agent }, n) => run(agent, `Look ${n}.`, { session })))
    const items = await session.getItems()
    expect(items).toHaveLength(20)
    assertSound(items)
  })
})

describe('a session that fails', () => {
  it('when a run begins: nothing was stored and nobody was asked', async () => {
    const store = memoryStore()
    const { agent, model } = scripted(['Hi.'])
    const broken = { ...plainSession(), getItems: () => Promise.reject(new Error('down')) }
    const error = await refused(run(agent, 'go', { session: broken, store }), SessionFailed, 'session_failed')
    expect(error).toMatchObject({ sessionId: 'plain', retryable: true })
    const wrong = plainSession('wrong', [{ role: 'nobody', content: 'x' } as never])
    await refused(run(agent, 'go', { session: wrong }), SessionFailed, 'session_failed')
    expect(model.requests).toEqual([])
  })

  it('when it is written: the run failed, nothing is lost, and running the state again adds it once', async () => {
    for (const before of [true, false]) {
      const session = plainSession()
      let down = true
      const flaky: Session = {
        ...session,
        async addItems(items) {
          if (!before) await session.addItems(items)
          if (down) throw new Error('down')
          if (before) await session.addItems(items)
        },
      }
      const { agent } = scripted([calls(['a', 'pay']), 'Paid.'], [gated('pay')])
      const paused = await run(agent, 'Pay.', { session: flaky })
      failedWith(paused, SessionFailed, 'session_failed')
      expect(paused.interruptions).toHaveLength(1)
      await paused.state.approve('a')
      const failed = await run(agent, paused.state, { session: flaky })
      failedWith(failed, SessionFailed, 'session_failed')
      down = false
      const done = await run(agent, await RunState.fromString(agent, failed.state.toString()), { session: flaky })
      expect(done).toMatchObject({ status: 'completed', finalOutput: 'Paid.' })
      expect(brief(session.items)).toEqual(['user: Pay.', '+a', '=a', 'Paid.'])
      // It was told so: the finished state needs its session no more.
      expect((await run(agent, done.state)).status).toBe('completed')
    }
  })
})

describe('a run in a store that dies before it has recorded what is in the session', () => {
  it('adds it once', async () => {
    let dies = true
    const store = intercept(memoryStore(), (append) => {
      if (dies && brings(append, 'session.written')) throw new StoreFailed('killed', undefined)
    })
    const session = plainSession()
    const { agent } = scripted([calls(['a', 'pay']), 'Paid.'], [gated('pay')])
    const { threadId } = await run(agent, 'Pay.', { session, store })
    expect(brief(session.items)).toEqual(['user: Pay.'])
    const state = await RunState.load(agent, { threadId, store })
    await state.approve('a')
    expect((await run(agent, state, { session })).status).toBe('failed')
    dies = false
    expect((await run(agent, await RunState.load(agent, { threadId, store }), { session })).status).toBe('completed')
    expect(brief(session.items)).toEqual(['user: Pay.', '+a', '=a', 'Paid.'])
  })
})

describe('a run and its session belong together', () => {
  it('resuming without it, with another one, or with one that it never had is refused', async () => {
    const { agent } = scripted([calls(['a', 'pay']), 'Paid.', calls(['b', 'pay'])], [gated('pay')])
    const session = memorySession({ id: 'ann' })
    const paused = await run(agent, 'Pay.', { session })
    await paused.state.approve('a')
    const none = await refused(run(agent, paused.state), InputInvalid, 'input_invalid')
    expect(none.message).toContain('session "ann"')
    const other = memorySession({ id: 'bob' })
    await refused(run(agent, paused.state, { session: other }), InputInvalid, 'input_invalid')
    await refused(run(agent, paused.state, { session, sessionLimit: 1 }), InputInvalid, 'input_invalid')
    expect((await run(agent, paused.state, { session })).status).toBe('completed')
    const without = await run(agent, 'Pay.')
    await refused(run(agent, without.state, { session }), InputInvalid, 'input_invalid')
  })

  it('a thread in a store has its own history', async () => {
    const { agent } = scripted(['Hi.'])
    const store = memoryStore()
    const session = memorySession()
    await refused(run(agent, 'go', { session, store, threadId: 't' }), InputInvalid, 'input_invalid')
    expect((await store.read('t')).version).toBe(0)
  })

  it('but a run of its own may live in a store, and be resumed from there', async () => {
    const { agent } = scripted([calls(['a', 'pay']), 'Paid.'], [gated('pay')])
    const store = memoryStore()
    const session = storeSession({ store, sessionId: 'ann' })
    await session.addItems([{ role: 'user', content: 'I am Ann.' }])
    const { threadId } = await run(agent, 'Pay.', { session, store })
    const state = await RunState.load(agent, { threadId, store })
    await state.approve('a')
    expect((await run(agent, state, { session: storeSession({ store, sessionId: 'ann' }) })).finalOutput).toBe('Paid.')
    expect(brief(await session.getItems())).toEqual(['user: I am Ann.', 'user: Pay.', '+a', '=a', 'Paid.'])
    expect(await typesOf(store, 'session:ann')).toEqual(['session.added', 'session.added', 'session.added'])
  })

  it('a value that is not a session is refused', async () => {
    const { agent } = scripted([])
    for (const session of [{}, null, { ...memorySession(), popItem: 1 }]) {
      await refused(run(agent, 'go', { session: session as never }), InputInvalid, 'input_invalid')
    }
    await refused(run(agent, 'go', { session: memorySession(), sessionLimit: 0 }), InputInvalid, 'input_invalid')
    await refused(run(agent, 'go', { sessionLimit: 3 }), InputInvalid, 'input_invalid')
    const nameless = { ...plainSession(), getSessionId: async () => '' }
    await refused(run(agent, 'go', { session: nameless }), SessionFailed, 'session_failed')
  })
})
