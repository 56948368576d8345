import { expect, test } from 'vitest'
import { toUIMessageStream, toUIMessages } from '../../../src/ai-sdk.ts'
import { memoryStore, RunState, run } from '../../../src/index.ts'
import { gated } from '../../support/agents/recording-tools.ts'
import { calls, scripted } from '../../support/agents/scripted-agent.ts'

async function chunksOf(state: RunState): Promise<unknown[]> {
  const chunks: unknown[] = []
  for await (const chunk of toUIMessageStream(state)) chunks.push(chunk)
  return chunks
}

test('a state that was driven without its earlier entries is shown as a whole message', async () => {
  const store = memoryStore()
  const at = { store, threadId: 't' }
  const script = Array.from({ length: 20 }, (_, n) => calls([`c${n}`, 'pay', { n }]))
  const { agent } = scripted(script, [gated('pay')])
  await run(agent, 'go', { ...at, maxTurns: null })
  for (let n = 0; n < 12; n++) {
    const state = await RunState.load(agent, at)
    if (n % 2 === 0) await state.approve(state.interruptions[0]!)
    else await state.reject(state.interruptions[0]!, { message: 'No.' })
    await run(agent, state)
  }
  const { state: driven } = await run(agent, await RunState.load(agent, at))
  expect(() => driven.toString()).toThrow(expect.objectContaining({ name: 'MessagesNotLoaded' }))
  expect(() => toUIMessages(driven)).toThrow(expect.objectContaining({ name: 'MessagesNotLoaded' }))
  const whole = await RunState.load(agent, { ...at, messages: true })
  expect(await chunksOf(driven)).toEqual(await chunksOf(whole))
  expect(toUIMessages(driven)).toEqual(toUIMessages(whole))
})
