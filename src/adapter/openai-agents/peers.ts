import { PeerMissing } from '../../ports.ts'

/** Loads the SDK when it is needed: the copy of which the application makes its agents. */
export async function loadSdk() {
  try {
    const { RunState, Runner } = await import('@openai/agents')
    return { RunState, Runner }
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new PeerMissing(`openaiGate needs the OpenAI Agents SDK: run 'npm install @openai/agents'.`, error)
  }
}
