import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { memoryStore, run } from '../../src/index.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { inFolder } from '../support/stores/places.ts'

const IDLE = fileURLToPath(new URL('idle.js', import.meta.url))
const noLimit = { maxTurns: null }

/** How many bytes of the heap one takes, in a process of its own. It runs the built package: `npm test` builds it first. */
async function kept(what: 'thread' | 'held', turns: number): Promise<number> {
  const args = (folder: string) => ['--expose-gc', IDLE, what, String(turns), folder]
  const { stdout } = await inFolder('idle', (folder) => promisify(execFile)(process.execPath, args(folder)))
  return Number(stdout)
}

// Ten thousand of them are to take less than 50 MB.
it.each([1, 20])('an idle thread takes less than 5 kB after %i tool turns', async (turns) => {
  expect(await kept('thread', turns)).toBeLessThan(5_000)
})

it('a held state of 1,000 tool turns keeps what was said once', async () => {
  // With the entries beside the conversation it takes more than 2 MB.
  expect(await kept('held', 1000)).toBeLessThan(1_050_000)
})

/** A run that waits for an approval after so many tool turns. */
async function paused(turns: number) {
  const look = Array.from({ length: turns }, (_, n) => calls([`c${n}`, 'look', { n }]))
  const { agent } = scripted([...look, calls(['c', 'pay']), 'Done.'], [noting('look'), notingGated('pay')])
  const store = memoryStore()
  return { agent, store, held: await run(agent, 'go', { store, threadId: 't', ...noLimit }) }
}

it('a state of a short thread that was driven here has its entries at hand', async () => {
  const { held } = await paused(20)
  expect(held.state.toString()).toContain('request.opened')
})

it('a state of a long thread has its conversation at hand, and reads its entries when they are asked for', async () => {
  const { agent, held } = await paused(80)
  const { state } = held
  expect([state.messages.length, held.history.length, held.newItems.length]).toEqual([162, 161, 162])
  expect(() => state.toString()).toThrow(expect.objectContaining({ code: 'messages_not_loaded' }))
  await state.loadMessages()
  expect(JSON.parse(state.toString()).entries.length).toBeGreaterThan(256)
  // What was asked for stays.
  await state.approve(state.interruptions[0]!)
  expect(state.toString()).toContain('request.decided')
  expect(await run(agent, state, noLimit)).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
})

it('a long thread is decided and driven on without its entries, and moves into another store with them', async () => {
  const { agent, held } = await paused(80)
  await held.state.approve(held.state.interruptions[0]!, { idempotencyKey: 'once' })
  await held.state.approve(held.interruptions[0]!, { idempotencyKey: 'once' })
  expect((await run(agent, held.state, noLimit)).status).toBe('completed')
  const other = await paused(80)
  const moved = await run(other.agent, other.held.state, { store: memoryStore(), ...noLimit })
  expect(moved).toMatchObject({ status: 'interrupted' })
  expect(moved.state.messages.length).toBe(162)
})
