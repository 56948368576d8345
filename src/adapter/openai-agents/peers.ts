import { PeerMissing } from '../../ports.ts'

/** The parts of the SDK that are used here. */
export type Sdk = Awaited<ReturnType<typeof load>>

async function load() {
  try {
    const { RunState, Runner } = await import('@openai/agents')
    return { RunState, Runner }
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new PeerMissing(`openaiGate needs the OpenAI Agents SDK: run 'npm install @openai/agents'.`, error)
  }
}

let loaded: Promise<Sdk> | undefined

/** Loads the SDK on first use: the copy of which the application makes its agents. */
export function loadSdk(): Promise<Sdk> {
  loaded ??= load()
  return loaded
}
