import type { Message, Part, RunItem, ToolCall, ToolResult } from '../../index.ts'

/** One turn of the model, and what became of its calls. */
export interface Step {
  reasoning: string
  text: string
  calls: (ToolCall & { agent: string })[]
  results: { toolCallId: string; output: ToolResult }[]
}

/** The items of a run, by turn. An answer has its reasoning first, then its text, then its calls. */
export function stepsOf(items: readonly RunItem[]): Step[] {
  const steps: Step[] = []
  let reached = 0
  const step = (place: number, mayRepeat: boolean): Step => {
    const isNext = steps.length === 0 || place < reached || (place === reached && !mayRepeat)
    if (isNext) steps.push({ reasoning: '', text: '', calls: [], results: [] })
    reached = place
    return steps.at(-1)!
  }
  for (const item of items) {
    switch (item.type) {
      case 'reasoning_item':
        step(0, false).reasoning = wordsOf(item.reasoning)
        break
      case 'message_output_item':
        step(1, false).text = wordsOf(item.content)
        break
      case 'tool_call_item':
      case 'handoff_call_item':
        step(2, true).calls.push({ ...item.call, agent: item.agent })
        break
      case 'tool_call_output_item':
      case 'handoff_output_item':
        step(3, true).results.push({ toolCallId: item.toolCallId, output: item.output })
        break
      case 'tool_approval_item':
        break
      default:
        return item satisfies never
    }
  }
  return steps
}

/** The same, of messages. Input is left out, and who made a call is not known. */
export function stepsIn(messages: readonly Message[]): Step[] {
  const steps: Step[] = []
  for (const message of messages) {
    if (message.role === 'assistant') {
      const { reasoning = [], content, toolCalls = [] } = message
      const calls = toolCalls.map((call) => ({ ...call, agent: '' }))
      steps.push({ reasoning: wordsOf(reasoning), text: wordsOf(content), calls, results: [] })
    }
    if (message.role === 'tool') {
      const { role: _role, toolCallId, toolName: _toolName, ...output } = message
      steps.at(-1)?.results.push({ toolCallId, output })
    }
  }
  return steps
}

/** The text of content: its text parts, joined. */
export function wordsOf(content: string | readonly Part[]): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
