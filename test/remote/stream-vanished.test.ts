import { expect, it } from 'vitest'
import { StreamLine } from '../../src/channel/stream-line.ts'
import { openDesk } from '../../src/index.ts'
import { StreamsFailed } from '../../src/ports.ts'
import { application, refundOnce, refundTool } from '../support/agents/remote-application.ts'
import { until } from '../support/until.ts'

const BOB = { kind: 'person', id: 'bob' } as const

async function posted() {
  const app = await application(refundOnce, [refundTool([])])
  await app.agent.thread('t', { store: app.store }).prompt('go')
  const desk = openDesk(app)
  const [request] = (await desk.list({ status: 'open' })).requests
  const { streams, session, store } = app
  const line = new StreamLine({
    ...{ streams, session, maxMessageBytes: 100_000, keepOpen: undefined, lookMs: 20 },
    stored: { store, threadId: 't' },
  })
  const answers: unknown[] = []
  const question = line.post({
    request: request!,
    submit: async (answer) => {
      answers.push(answer)
    },
    cancel: async () => undefined,
    fail: (error) => {
      answers.push(error)
    },
  })
  const [first] = await app.asked()
  return { app, desk, request: request!, first: first!, question, line, answers }
}

it('a question whose request was decided and opened again, unseen, is asked as it is now', async () => {
  const { app, desk, request, first, question, line, answers } = await posted()
  await desk.decide({ request, decision: { type: 'approve' }, by: BOB, undoSeconds: 60 })
  await app.streams.retract(app.session, first.msg_id)
  await desk.withdraw(request, BOB)
  const [again] = await app.asked()
  expect(again!.msg_id).not.toBe(first.msg_id)
  expect(again!.content.body.detail).toMatchObject({ id: request.id, version: 3 })
  await app.streams.answer(app.session, again!.msg_id, 'yes')
  await until(() => answers.length === 1)
  expect(answers).toEqual([{ type: 'approve' }])
  question.withdraw()
  await line.flush()
})

it('a question that was decided and taken off is not asked again', async () => {
  const { app, desk, request, first, question, line, answers } = await posted()
  await desk.decide({ request, decision: { type: 'approve' }, by: BOB })
  await app.streams.retract(app.session, first.msg_id)
  let looks = 0
  const { question: look } = app.streams
  app.streams.question = (...given) => {
    looks += 1
    return look(...given)
  }
  await until(() => looks >= 3)
  app.streams.question = look
  expect(await app.questions()).toEqual([])
  question.withdraw()
  await line.flush()
  expect(answers).toEqual([])
})

it('streams that fail while a reply is waited for are tried again', async () => {
  const { app, first, question, line, answers } = await posted()
  const { takeReply } = app.streams
  let failures = 3
  app.streams.takeReply = (...given) => {
    if (failures-- > 0) throw new StreamsFailed('gone fishing', new Error('ECONNRESET'))
    return takeReply(...given)
  }
  await until(() => failures < 0)
  await app.streams.answer(app.session, first.msg_id, 'no')
  await until(() => answers.length === 1)
  expect(answers).toEqual([{ type: 'reject' }])
  question.withdraw()
  await line.flush()
})
