// What the snippets of the guides take for granted: names that a reader knows from the page around them.
import type * as holdpoint from 'holdpoint'
import type { AiSdkLanguageModel } from 'holdpoint/ai-sdk'

declare global {
  const agent: holdpoint.Agent
  const model: holdpoint.Model
  const languageModel: AiSdkLanguageModel
  const store: holdpoint.Store
  const channel: holdpoint.Channel
  const thread: holdpoint.Thread
  const state: holdpoint.RunState
  const result: holdpoint.RunResult
  const request: holdpoint.HitlRequest
  const refund: holdpoint.Tool
  const tools: readonly holdpoint.Tool[]
  const policy: holdpoint.Policy
  const newRoot: holdpoint.Agent
  const text: string
  const threadId: string
}
