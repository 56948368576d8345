import { appendFileSync, writeSync } from 'node:fs'
import { z } from 'zod'
import { built } from '../store/children/built.js'

/**
 * An application in a process of its own: an agent whose refund has to be approved by a person at the other end of a stream, or whose tool runs
 * there. It tells what it shows and what the thread came to, a line each.
 * @typedef {{ path: string, redis: string, session: string, effects: string, act: 'prompt' | 'resume', remote?: boolean }} Work
 */
const work = /** @type {Work} */ (JSON.parse(process.argv[2] ?? ''))
const { Agent, remoteTool, StreamChannel, tool } = await built('index.js')
const { sqliteStore } = await built('sqlite.js')
const { redisStreams } = await built('redis.js')
const { scriptedModel } = await built('testing.js')

/** @param {object} line */
const tell = (line) => writeSync(1, `${JSON.stringify(line)}\n`)

const store = sqliteStore({ path: work.path })
const streams = redisStreams({ url: work.redis })
const { session } = work
const parameters = z.object({ cents: z.number() })
const description = 'Pays money back.'
const refund = work.remote
  ? remoteTool({ name: 'refund', description, parameters, streams, session, resumable: true })
  : tool({
      name: 'refund',
      description,
      parameters,
      needsApproval: true,
      /** @param {{ cents: number }} args */
      execute: ({ cents }) => {
        appendFileSync(work.effects, `refund ${cents}\n`)
        return `${cents} cents paid back`
      },
    })
/** @param {{ messages: { role: string }[] }} request */
const step = (request) =>
  request.messages.some(({ role }) => role === 'tool')
    ? 'Done.'
    : { toolCalls: [{ id: 'c1', name: 'refund', args: { cents: 500 } }] }
const agent = new Agent({ name: 'clerk', model: scriptedModel([step, step]), tools: [refund] })

const channel = new StreamChannel({ streams, session, store, threadId: 't', keepOpen: { owner: 'ann' } })
if (work.remote && work.act === 'prompt') await streams.open(session, { owner: 'ann', expireSeconds: 600 })
channel.subscribe((/** @type {any} */ request) => tell({ shown: request.questionId }))
const thread = agent.thread('t', { store, channel })
tell({ started: true })
const result = work.act === 'prompt' ? await thread.prompt('go') : await thread.resume()
tell({ status: result.status, messages: result.messages, error: result.error?.message })
await channel.flush()
await streams.shutdown()
await store.close()
