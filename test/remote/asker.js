import { writeSync } from 'node:fs'
import { built } from '../store/children/built.js'

/**
 * An application in a process of its own that opens a session and asks two bare questions there, until somebody ends it.
 * @typedef {{ redis: string, session: string }} Work
 */
const work = /** @type {Work} */ (JSON.parse(process.argv[2] ?? ''))
const { HilMessageStreamContext, interrupt } = await built('index.js')
const { redisStreams } = await built('redis.js')

const streams = redisStreams({ url: work.redis })
const { session } = work
await HilMessageStreamContext.open(session, { streams, owner: 'ann' })
/** @param {string} tool */
const ask = (tool) => {
  const body = { tool_name: tool, type: 'ChoiceForm', tool_exec_uuid: 'x', detail: {} }
  return interrupt({ source: 'agent_tool_call', body }, { stream: session, streams })
}
const answered = Promise.all(['one', 'two'].map(ask))
writeSync(1, 'asking\n')
await answered
