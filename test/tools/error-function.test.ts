import { expect, test } from 'vitest'
import { z } from 'zod'
import { run, tool } from '../../src/index.ts'
import { only, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

function failing(options: object) {
  return tool({
    name: 'pay',
    description: '',
    parameters: z.object({}),
    execute: () => {
      throw new Error('bank closed')
    },
    ...options,
  })
}

test('errorFunction words the error of a body for the model', async () => {
  const errorFunction = (runContext: { context: unknown }, error: unknown) =>
    `Sorry ${(runContext.context as { user: string }).user}: ${(error as Error).message}`
  const { agent, model } = scripted([calls(['a', 'pay']), 'Done.'], [failing({ errorFunction })])
  expect(await run(agent, 'go', { context: { user: 'ann' } })).toMatchObject({ status: 'completed' })
  expect(toolMessage(model.requests[1]?.messages)).toMatchObject({ content: 'Sorry ann: bank closed', isError: true })
})

test('without one the model reads the message of the error', async () => {
  const { agent, model } = scripted([calls(['a', 'pay']), 'Done.'], [failing({})])
  await run(agent, 'go')
  expect(toolMessage(model.requests[1]?.messages).content).toBe('The tool failed: bank closed')
})

test('with null the run fails, the call has its result, and running again goes on without running it again', async () => {
  let runs = 0
  const execute = () => {
    runs += 1
    throw new Error('bank closed')
  }
  const { agent, model } = scripted(
    [calls(['a', 'pay']), 'Done.'],
    [failing({ errorFunction: null, execute, needsApproval: true })],
  )
  const paused = await run(agent, 'go')
  await paused.state.approve(only(paused))
  const failed = await run(agent, paused.state)
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'tool_failed', toolName: 'pay' } })
  expect(failed.error?.message).toContain('bank closed')
  expect(await run(agent, failed.state)).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
  expect(runs).toBe(1)
  expect(toolMessage(model.requests[1]?.messages)).toMatchObject({ isError: true })
})

test('an errorFunction that throws or returns no text stops the run, and the model reads the plain message', async () => {
  const throws = () => {
    throw new Error('oops')
  }
  for (const errorFunction of [throws, () => 5, () => '', () => undefined]) {
    const { agent, model } = scripted([calls(['a', 'pay']), 'Done.'], [failing({ errorFunction })])
    const failed = await run(agent, 'go')
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'tool_failed' } })
    expect(await run(agent, failed.state)).toMatchObject({ status: 'completed' })
    expect(toolMessage(model.requests[1]?.messages).content).toBe('The tool failed: bank closed')
  }
  expect(() => failing({ errorFunction: 'x' })).toThrow('errorFunction must be a function or null')
})
