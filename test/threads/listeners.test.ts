import { describe, expect, it } from 'vitest'
import { type AgentEvent, memoryStore, type Store, type Thread, type ThreadResult } from '../../src/index.ts'
import { notingGated } from '../support/agents/noting-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { scene, shownAs } from '../support/agents/thread-scene.ts'

describe('detach, respond and abort from inside listeners', () => {
  type Act = (thread: Thread, event: AgentEvent) => unknown
  const acts: [string, AgentEvent['type'], Act, ThreadResult['status']][] = [
    ['detach in hitl_request', 'hitl_request', (thread) => thread.detach(), 'suspended'],
    [
      'respond in hitl_request',
      'hitl_request',
      (thread) => thread.respond({ answer: { type: 'approve' } }),
      'completed',
    ],
    ['abortPending in hitl_request', 'hitl_request', (thread) => thread.abortPending(), 'aborted'],
    ['abortPending in tool_start', 'tool_start', (thread) => thread.abortPending(), 'aborted'],
    ['abortPending in turn_start', 'turn_start', (thread) => thread.abortPending(), 'aborted'],
    ['detach in message', 'message', (thread) => thread.detach(), 'completed'],
  ]
  it.each(acts)('%s does not deadlock', async (_, type, act, status) => {
    const pay = notingGated('pay')
    const { open } = scene([calls(['c1', 'pay'], ['c2', 'pay']), 'Done.'], [pay], {
      toolExecution: { start: 'cleared' },
    })
    const { thread, channel } = open()
    let done: Promise<unknown> | undefined
    thread.subscribe((event) => {
      if (event.type === type) done ??= Promise.resolve(act(thread, event))
    })
    const prompting = thread.prompt('go')
    if (status === 'completed' || type === 'tool_start') {
      for (const id of ['c1', 'c2']) {
        if (id === 'c1' && type === 'hitl_request') continue
        await shownAs(channel, id)
        await channel.answer(id, { type: 'approve' }).catch(() => undefined)
        if (type === 'tool_start') break
      }
    }
    expect((await prompting).status).toBe(status)
    await done
    expect(channel.pending).toBeUndefined()
  })

  it('respond in agent_suspended goes on as soon as the loop has left', async () => {
    const pay = notingGated('pay')
    const { open } = scene([calls(['c1', 'pay']), 'Done.'], [pay])
    const { thread, channel } = open()
    let responded: Promise<ThreadResult> | undefined
    thread.subscribe((event) => {
      if (event.type === 'agent_suspended')
        responded = thread.respond({ questionId: 'c1', answer: { type: 'approve' } })
    })
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await thread.detach()
    expect((await prompting).status).toBe('suspended')
    expect((await responded!).status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
  })

  it('respond in hitl_answer is answered with what the thread comes to', async () => {
    const { open } = scene([calls(['c1', 'pay']), 'Done.'], [notingGated('pay')])
    const { thread, channel } = open()
    let responded: Promise<ThreadResult> | undefined
    thread.subscribe((event) => {
      if (event.type === 'hitl_answer') responded ??= thread.respond({ questionId: 'c1', answer: { type: 'approve' } })
    })
    const prompting = thread.prompt('go')
    await shownAs(channel, 'c1')
    await channel.answer('c1', { type: 'approve' })
    expect(await responded).toEqual(await prompting)
  })

  it.each(['detach', 'abortPending'] as const)('%s in a subscriber of the channel works', async (verb) => {
    const { open } = scene([calls(['c1', 'pay'])], [notingGated('pay')])
    const { thread, channel } = open()
    let done: Promise<unknown> | undefined
    channel.subscribe(() => {
      done = thread[verb]()
    })
    expect((await thread.prompt('go')).status).toBe(verb === 'detach' ? 'suspended' : 'aborted')
    await done
  })
})

describe('a listener hears once of an open request', () => {
  /** A store that has such a request, its agent, and the types of what a listener hears. */
  async function opened() {
    const { agent } = scripted([calls(['c1', 'pay'])], [notingGated('pay')])
    const store = memoryStore()
    await agent.thread('t', { store }).prompt('Pay.')
    const told: string[] = []
    return { agent, store, told, hear: ({ type }: AgentEvent) => void told.push(type) }
  }

  it('whenever it subscribes while the thread is read', async () => {
    for (let ticks = 0; ticks < 40; ticks++) {
      const { agent, store, told, hear } = await opened()
      const thread = agent.thread('t', { store })
      const resumed = thread.resume()
      for (let n = 0; n < ticks; n++) await Promise.resolve()
      thread.subscribe(hear)
      await resumed
      expect(told, `after ${ticks} ticks`).toEqual(['hitl_request'])
    }
  })

  it('if it subscribes after a call that failed', async () => {
    const { agent, store, told, hear } = await opened()
    let reads = 0
    const read: Store['read'] = (...given) => (++reads === 2 ? Promise.reject(new Error('away')) : store.read(...given))
    const thread = agent.thread('t', { store: { ...store, read } })
    // It is loaded, and then cannot be brought up to date.
    await expect(thread.resume()).rejects.toThrow('away')
    thread.subscribe(hear)
    expect(told).toEqual(['hitl_request'])
    await thread.resume()
    expect(told).toEqual(['hitl_request'])
  })

  it('if another listener that is told of it adds it', async () => {
    const { agent } = scripted([calls(['c1', 'pay'])], [notingGated('pay')])
    const thread = agent.thread('t', { store: memoryStore() })
    const told: AgentEvent[] = []
    const stop = thread.subscribe(({ type }) => {
      if (type !== 'hitl_request') return
      stop()
      thread.subscribe((event) => void told.push(event))
    })
    await thread.prompt('Pay.')
    expect(told).toMatchObject([{ type: 'hitl_request', replayed: true }])
  })
})
