// @ts-check
import { createOpenAiAgents } from '../peers/openai-agents.js'

/** One of the cases with several calls or agents, by its name. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ what }) {
  const peer = createOpenAiAgents()
  if (what === 'first') return { run: async () => ({ ms: (await peer.stream()).first }) }
  return { run: peer[/** @type {'plain' | 'gated' | 'nested' | 'stream'} */ (what)] }
}
