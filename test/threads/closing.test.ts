import { describe, expect, it } from 'vitest'
import {
  Agent,
  type AgentEvent,
  type HitlRequest,
  InMemoryChannel,
  memoryStore,
  memoryStreams,
  type Store,
  StreamChannel,
} from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import { ThreadClosed } from '../../src/protocol/errors/errors.ts'
import { scriptedModel } from '../../src/testing.ts'
import { refused } from '../support/agents/failures.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { channelKinds, scene, shown } from '../support/agents/thread-scene.ts'
import { latch } from '../support/latch.ts'
import { requestsOf } from '../support/stores/requests.ts'
import { brings, intercept } from '../support/stores/wrapped-stores.ts'
import { pause, until } from '../support/until.ts'
import { warningsDuring } from '../support/warnings.ts'

const yes = { type: 'approve' } as const

describe.each(channelKinds)('thread.close() (%s channel)', (kind) => {
  it('stops driving, drops the lease, leaves the channel, keeps what is stored; another object goes on', async () => {
    const pay = notingGated('pay')
    const made = scene([calls(['c1', 'pay']), 'Done.'], [pay])
    const { thread, channel, events } = made.open(kind)
    const prompting = thread.prompt('go')
    const queued = thread.prompt('more')
    await shown(channel)
    const told = events.length
    await Promise.all([thread.close(), thread.close()])
    await thread.close()
    expect(await prompting).toMatchObject({ status: 'incomplete', requests: [{ questionId: 'c1' }] })
    await refused(queued, ThreadClosed, 'thread_closed')
    expect(channel.pending).toBeUndefined()
    expect((await made.store.read('t')).lease).toBeNull()
    expect(events).toHaveLength(told)
    const next = made.open(kind)
    const going = next.thread.resume()
    await shown(next.channel)
    await next.channel.answer('c1', yes)
    expect((await going).status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
  })

  it('later calls are refused, and the channel tells it nothing more', async () => {
    const { open } = scene(['Done.'], [])
    const { thread, channel, events } = open(kind)
    await thread.prompt('go')
    await thread[Symbol.asyncDispose]()
    for (const late of [
      () => thread.prompt('x'),
      () => thread.resume(),
      () => thread.respond({ answer: true }),
      () => thread.detach(),
      () => thread.abortPending(),
      () => thread.loadPendingHitlRequest(),
      async () => thread.subscribe(() => undefined),
    ]) {
      await refused(late(), ThreadClosed, 'thread_closed')
    }
    const told = events.length
    const asked = channel.confirm('Sure?')
    await channel.answer((await shown(channel)).id, true)
    await asked
    expect(events).toHaveLength(told)
  })

  it('stops a call that is still reading the thread: nothing is asked, and nothing is stored', async () => {
    const inner = memoryStore()
    let reading: (() => void) | undefined
    const nextRead = () =>
      new Promise<void>((resolve) => {
        reading = resolve
      })
    const read: Store['read'] = async (...asked) => {
      reading?.()
      await pause(5)
      return inner.read(...asked)
    }
    const store: Store = { ...inner, read }
    const { open, model } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')], { store })
    for (const verb of ['prompt', 'resume', 'respond', 'abortPending', 'loadPendingHitlRequest'] as const) {
      const { thread } = open(kind)
      const under = {
        prompt: () => thread.prompt('go'),
        resume: () => thread.resume(),
        respond: () => thread.respond({ id: 'x', decision: yes }),
        abortPending: () => thread.abortPending(),
        loadPendingHitlRequest: () => thread.loadPendingHitlRequest(),
      }[verb]()
      const settled = refused(under, ThreadClosed, 'thread_closed')
      await nextRead()
      await thread.close()
      await settled
    }
    expect(model.requests).toHaveLength(0)
    expect((await inner.read('t')).version).toBe(0)
  })

  it('waits for an answer that is being stored, which then counts', async () => {
    const pay = notingGated('pay')
    const inner = memoryStore()
    const store = intercept(inner, (append) => (brings(append, 'request.decided') ? pause(20) : undefined))
    const made = scene([calls(['c1', 'pay']), 'Done.'], [pay], { store })
    const first = made.open(kind)
    const prompting = first.thread.prompt('go')
    await shown(first.channel)
    await first.thread.detach()
    await prompting
    const { thread } = made.open(kind)
    const request = await thread.loadPendingHitlRequest()
    const responding = thread.respond({ id: request!.id, decision: yes })
    await pause(5)
    await thread.close()
    expect(await requestsOf(inner)).toEqual([['c1', 'decided']])
    expect(await responding).toMatchObject({ status: 'incomplete' })
    expect(pay.runs).toHaveLength(0)
    expect((await made.open(kind).thread.resume()).status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
  })

  it('lets a body that works report what it did', async () => {
    const free = latch()
    const work = noting('work', () => free.passed.then(() => 'worked'))
    const made = scene([calls(['c1', 'work']), 'Done.'], [work])
    const { thread } = made.open(kind)
    const prompting = thread.prompt('go')
    await until(() => work.runs.length === 1)
    const closing = thread.close()
    free.open()
    await closing
    expect((await prompting).status).toBe('incomplete')
    expect((await made.open(kind).thread.resume()).status).toBe('completed')
    expect(work.runs).toHaveLength(1)
  })
})

describe('errors of listeners', () => {
  const thenable = {
    // biome-ignore lint/suspicious/noThenProperty: any thenable counts
    then: (_: unknown, reject: (error: unknown) => void) => reject(new Error('listener')),
  }
  const failures: [string, () => unknown][] = [
    [
      'throws',
      () => {
        throw new Error('listener')
      },
    ],
    ['rejects', () => Promise.reject(new Error('listener'))],
    ['returns a thenable that rejects', () => thenable],
  ]

  it.each(failures)('of a thread go to onListenerError and harm nobody: one that %s', async (_, fail) => {
    const seen: [string, AgentEvent['type']][] = []
    const store = memoryStore()
    const agent = new Agent({ name: 'clerk', model: scriptedModel(['Done.']), tools: [] })
    const thread = agent.thread('t', {
      store,
      onListenerError: (error, event) => {
        seen.push([(error as Error).message, event.type])
        throw new Error('and the handler')
      },
    })
    const others: string[] = []
    thread.subscribe(fail)
    thread.subscribe(({ type }) => others.push(type))
    const warnings = await warningsDuring(async () => expect((await thread.prompt('go')).status).toBe('completed'))
    expect(seen.map(([, type]) => type)).toEqual(others)
    expect(new Set(seen.map(([message]) => message))).toEqual(new Set(['listener']))
    expect(warnings.some(({ message }) => message.includes('and the handler'))).toBe(true)
  })

  it.each(failures)('of a channel go to its onListenerError: one that %s', async (_, fail) => {
    const seen: [string, HitlRequest['kind']][] = []
    const onListenerError = (error: unknown, { kind }: HitlRequest) => seen.push([(error as Error).message, kind])
    for (const channel of [
      new InMemoryChannel({ onListenerError }),
      new StreamChannel({
        streams: memoryStreams(),
        session: crypto.randomUUID(),
        keepOpen: { owner: 'ann' },
        onListenerError,
      }),
    ]) {
      channel.subscribe(fail)
      const asked = channel.confirm('Sure?')
      await channel.answer((await shown(channel)).id, true)
      expect(await asked).toBe(true)
      await pause(0)
      expect(seen.splice(0)).toEqual([['listener', 'confirm']])
    }
  })

  it('are warnings of the process if nobody takes them', async () => {
    const { open } = scene(['Done.'], [])
    const { thread, channel } = open('memory')
    thread.subscribe(failures[0]![1])
    channel.subscribe(failures[1]![1])
    const warnings = await warningsDuring(async () => {
      await thread.prompt('go')
      const asked = channel.confirm('Sure?')
      await channel.answer((await shown(channel)).id, true)
      await asked
    })
    const ours = warnings.filter(({ name }) => name === 'HoldpointWarning')
    expect(ours.length).toBeGreaterThan(1)
    expect(ours[0]).toMatchObject({ code: 'holdpoint_listener_failed', message: 'A listener failed: listener' })
  })
})

it('an onListenerError that is no function is refused at once', () => {
  const agent = new Agent({ name: 'clerk', model: scriptedModel([]), tools: [] })
  expect(() => agent.thread('t', { onListenerError: 1 as never })).toThrow(InputInvalid)
  expect(() => new InMemoryChannel({ onListenerError: 1 as never })).toThrow(InputInvalid)
})
