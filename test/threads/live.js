import { appendFileSync, writeSync } from 'node:fs'
import { z } from 'zod'
import { built } from '../store/children/built.js'

/**
 * A live thread in a process of its own. Its tool does three steps with a question between each two; `dangling` never ends its first step.
 * It tells what it is shown and what the thread came to, a line each. SIGTERM stops it as a host would: by a signal.
 * @typedef {{ path: string, effects: string, act: 'prompt' | 'resume' | 'respond', answer?: unknown, dangling?: boolean, gate?: boolean }} Work
 */
const work = /** @type {Work} */ (JSON.parse(process.argv[2] ?? ''))
const { Agent, CheckpointedChannel, tool } = await built('index.js')
const { sqliteStore } = await built('sqlite.js')
const { scriptedModel } = await built('testing.js')

/** @param {object} line */
const tell = (line) => writeSync(1, `${JSON.stringify(line)}\n`)
/** @param {string} effect */
const effect = (effect) => appendFileSync(work.effects, `${effect}\n`)

const deploy = tool({
  name: 'deploy',
  description: 'deploys',
  parameters: z.object({}),
  needsApproval: work.gate ?? false,
  resumable: true,
  /** @param {unknown} _ @param {any} ctx */
  async execute(_, ctx) {
    await ctx.step('build', async () => {
      effect('build')
      if (!work.dangling) return
      tell({ hangs: true })
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    })
    const first = await ctx.confirm('Sure?')
    await ctx.step('stage', () => effect('stage'))
    const second = await ctx.confirm('Sure?')
    await ctx.step('ship', () => effect('ship'))
    return `${first} ${second}`
  },
})
/** @param {{ messages: { role: string }[] }} request */
const step = (request) =>
  request.messages.some(({ role }) => role === 'tool')
    ? 'Done.'
    : { toolCalls: [{ id: 'c1', name: 'deploy', args: {} }] }
const agent = new Agent({ name: 'clerk', model: scriptedModel([step, step]), tools: [deploy] })

const store = sqliteStore({ path: work.path })
const channel = new CheckpointedChannel({ store, threadId: 't' })
channel.subscribe((/** @type {any} */ request) => tell({ shown: request.questionId, reason: request.reason }))
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
const thread = agent.thread('t', { store, channel })
const { signal } = stop
const result =
  work.act === 'prompt'
    ? await thread.prompt('go', { signal })
    : work.act === 'resume'
      ? await thread.resume({ signal })
      : await thread.respond({ answer: work.answer, unbound: true, signal })
tell({ status: result.status, messages: result.messages, error: result.error?.message })
await store.close()
