import { describe, expect, it } from 'vitest'
import { askUser, type JsonObject, openDesk } from '../../src/index.ts'
import { AnswerInvalid } from '../../src/protocol/errors/errors.ts'
import { refused } from '../support/agents/failures.ts'
import { notingGated } from '../support/agents/noting-tools.ts'
import { resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { channelKinds, scene, shown } from '../support/agents/thread-scene.ts'
import { requestsOf } from '../support/stores/requests.ts'
import { withStore } from '../support/stores/with-store.ts'

const FORM: JsonObject = {
  questions: [
    {
      key: 'colour',
      prompt: 'Which colour?',
      options: [
        { label: 'Red', value: 'red' },
        { label: 'Another', value: 'other', allowInput: true, description: 'Type it' },
      ],
    },
    {
      key: 'extras',
      prompt: 'Extras?',
      multiSelect: true,
      options: [
        { label: 'Lid', value: 'lid' },
        { label: 'Bag', value: 'bag' },
      ],
    },
    { key: 'note', prompt: 'Note?', required: false },
  ],
}

describe.each(channelKinds)('askUser (%s channel)', (kind) => {
  it('shows the model’s form and gives the typed answers back as JSON', async () => {
    const { open, model } = scene([calls(['c1', 'ask_user', FORM]), 'Done.'], [askUser()])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    const request = await shown(channel)
    expect(request).toMatchObject({ kind: 'ask', questions: FORM.questions, toolName: 'ask_user', toolCallId: 'c1' })
    await refused(channel.answer(request.questionId, { colour: 'red' }), AnswerInvalid, 'answer_invalid')
    await refused(
      channel.answer(request.questionId, { colour: 'red', extras: ['horn'] }),
      AnswerInvalid,
      'answer_invalid',
    )
    const answers = { colour: 'teal', extras: ['lid', 'bag'] }
    await channel.answer(request.questionId, answers)
    expect((await prompting).status).toBe('completed')
    const message = model.requests[1]?.messages.at(-1)
    expect(message).toMatchObject({ role: 'tool', toolCallId: 'c1' })
    expect(message).not.toHaveProperty('isError')
    expect(JSON.parse(String(resultsIn(model.requests[1]?.messages)[0]?.[1]))).toEqual(answers)
  })

  it('cancelled or late: the model is told which, in the engine’s words', async () => {
    for (const cancel of [true, false]) {
      const { open, model } = scene([calls(['c1', 'ask_user', FORM]), 'Done.'], [askUser()])
      const { thread, channel } = open(kind, cancel ? {} : { defaultTimeoutSeconds: 0.3 })
      const prompting = thread.prompt('go')
      const { questionId } = await shown(channel)
      if (cancel) await channel.cancel(questionId, { reason: 'no time' })
      expect((await prompting).status).toBe('completed')
      const message = model.requests[1]?.messages.at(-1)
      expect(message).toMatchObject({ role: 'tool', isError: true })
      expect(message?.content).toContain(cancel ? 'withdrawn (no time)' : 'nobody answered in time')
    }
  })

  it('a form that cannot be shown goes back to the model, not to the person', async () => {
    const twice = {
      questions: [
        { key: 'a', prompt: 'A?' },
        { key: 'a', prompt: 'B?' },
      ],
    }
    const { open, model } = scene(
      [calls(['c1', 'ask_user', { questions: [] }], ['c2', 'ask_user', twice]), 'Done.'],
      [askUser()],
    )
    const { thread, events } = open(kind)
    expect((await thread.prompt('go')).status).toBe('completed')
    const results = resultsIn(model.requests[1]?.messages)
    expect(results[0]?.[1]).toContain('do not fit')
    expect(results[1]?.[1]).toContain('Two questions have the key "a"')
    expect(events.some(({ type }) => type === 'hitl_request')).toBe(false)
  })

  it('an empty list of options means free text', async () => {
    const free = { questions: [{ key: 'a', prompt: 'A?', options: [] }] }
    const { open } = scene([calls(['c1', 'ask_user', free]), 'Done.'], [askUser()])
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    const request = await shown(channel)
    expect(request.questions).toEqual([{ key: 'a', prompt: 'A?' }])
    await channel.answer(request.questionId, { a: 'anything' })
    expect((await prompting).status).toBe('completed')
  })
})

describe('askUser over a restart', () => {
  it.each(['memory', 'sqlite'] as const)('is answered by a fresh process, or at a desk (%s)', (kind) =>
    withStore(kind, async (store) => {
      for (const at of ['respond', 'desk']) {
        const made = scene([calls(['c1', 'ask_user', FORM]), 'Done.'], [askUser()], { store, threadId: at })
        const { thread, channel } = made.open()
        const prompting = thread.prompt('go')
        const { id } = await shown(channel)
        await thread.detach()
        expect((await prompting).status).toBe('suspended')
        const fresh = made.open().thread
        expect((await fresh.loadPendingHitlRequest())?.questions).toEqual(FORM.questions)
        const answer = { colour: 'red', extras: ['bag'], note: 'soon' }
        if (at === 'desk') await openDesk({ store }).answer(id, answer, { by: { kind: 'person', id: 'ann' } })
        const result = await (at === 'desk' ? fresh.resume() : fresh.respond({ answer }))
        expect(JSON.parse(String(resultsIn(result.messages)[0]?.[1]))).toEqual(answer)
      }
    }),
  )

  it('a wrong answer is refused there too, and the form stays open', async () => {
    const { open, store } = scene([calls(['c1', 'ask_user', FORM]), 'Done.'], [askUser()])
    const { thread, channel } = open()
    const prompting = thread.prompt('go')
    await shown(channel)
    await thread.detach()
    await prompting
    await refused(open().thread.respond({ answer: { colour: 7 }, unbound: true }), AnswerInvalid, 'answer_invalid')
    expect((await requestsOf(store)).map(([, status]) => status)).toEqual(['open'])
  })

  it('can have a name of its own and stand beside gates', async () => {
    const { open } = scene(
      [calls(['c1', 'clarify', { questions: [{ key: 'a', prompt: 'A?' }] }], ['c2', 'pay']), 'Done.'],
      [askUser({ name: 'clarify', description: 'Ask' }), notingGated('pay')],
    )
    const { thread, channel } = open()
    const prompting = thread.prompt('go')
    const gate = await shown(channel)
    expect(gate.questionId).toBe('c2')
    await channel.answer('c2', { type: 'approve' })
    const form = await shown(channel, ({ kind }) => kind === 'ask')
    await channel.answer(form.questionId, { a: 'b' })
    expect((await prompting).status).toBe('completed')
  })
})
