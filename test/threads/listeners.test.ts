import { describe, expect, it } from 'vitest'
import type { AgentEvent, Thread, ThreadResult } from '../../src/index.ts'
import { notingGated } from '../support/agents/noting-tools.ts'
import { calls } from '../support/agents/scripted-agent.ts'
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
