import type { ModelPart, ModelResponse, ModelToolCall } from '../../../ports/model.ts'
import type { LivePart } from '../../../protocol/event.ts'
import { textOf } from '../../../protocol/message.ts'

/** Called with the parts of a model's answer as they arrive. `whole`: the model does not stream. Must not throw. */
export type PartListener = (part: LivePart, whole: boolean) => void

/** Passes one part of an answer to the listener. */
export function tellPart(part: ModelPart, listen: PartListener): void {
  if (part.type === 'finish' || part.type === 'approval-request') return
  listen(part.type === 'tool-call' ? { type: 'tool-call', call: toLiveCall(part.call) } : part, false)
}

/** Passes an answer that was not streamed to the listener, part by part. The answer has not been checked yet. */
export function tellWhole(response: ModelResponse, listen: PartListener): void {
  const { content = '', reasoning = [], toolCalls = [] } = response ?? {}
  if (!isContent(content) || !isContent(reasoning) || !Array.isArray(toolCalls)) return
  const [thought, text] = [textOf(reasoning), textOf(content)]
  if (thought !== '') listen({ type: 'reasoning', text: thought }, true)
  if (text !== '') listen({ type: 'text', text }, true)
  for (const call of toolCalls) listen({ type: 'tool-call', call: toLiveCall(call) }, true)
}

function isContent(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every((part) => typeof part === 'object' && part))
}

function toLiveCall(call: ModelToolCall): Extract<LivePart, { type: 'tool-call' }>['call'] {
  const { id, name } = call
  return {
    ...(id === undefined ? {} : { id }),
    name,
    ...('args' in call ? { args: call.args } : { argsText: call.argsText }),
  }
}
