// @ts-check
import { createHoldpointAgents } from '../peers/holdpoint-agents.js'

/** One of the cases with several calls or agents, by its name. @type {import('../lib/subject/subject.js').CreateSubject} */
export async function create({ what }) {
  const peer = createHoldpointAgents()
  if (what === 'first') return { run: async () => ({ ms: (await peer.stream()).first }) }
  return { run: peer[/** @type {'plain' | 'gated' | 'nested' | 'stream'} */ (what)] }
}
