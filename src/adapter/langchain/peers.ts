import { PeerMissing } from '../../ports.ts'

/** The parts of LangChain that are used here. */
export type Peers = Awaited<ReturnType<typeof load>>

async function load() {
  try {
    const [{ ToolMessage }, { Command, interrupt, isGraphBubbleUp, isGraphInterrupt }, { convertToOpenAITool }] =
      await Promise.all([
        import('@langchain/core/messages'),
        import('@langchain/langgraph'),
        import('@langchain/core/utils/function_calling'),
      ])
    return { ToolMessage, Command, interrupt, isGraphBubbleUp, isGraphInterrupt, convertToOpenAITool }
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    const packages = 'langchain @langchain/core @langchain/langgraph'
    throw new PeerMissing(`holdpointMiddleware needs LangChain: run 'npm install ${packages}'.`, error)
  }
}

let loaded: Promise<Peers> | undefined

/** Loads LangChain on first use: the copy that the application has loaded. */
export function loadPeers(): Promise<Peers> {
  loaded ??= load()
  return loaded
}
