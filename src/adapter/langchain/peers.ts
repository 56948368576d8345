import { PeerMissing } from '../../ports.ts'

/** Loads LangChain when it is needed: the copy that the application has loaded. */
export async function loadPeers() {
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
