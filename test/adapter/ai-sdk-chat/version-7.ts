// Runs the cases with the AI SDK 7, which needs Node 22. Prints what failed, by case, as JSON.
import {
  AbstractChat,
  createUIMessageStreamResponse,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
} from 'ai-v7'
import { cases } from './cases.ts'
import { historyCases } from './history-cases.ts'
import { hostileCases } from './hostile-cases.ts'
import { kindCases } from './kind-cases.ts'
import type { MakeChat } from './page.ts'
import { type Sdk, threadCases } from './thread-cases.ts'

/** What `useChat` keeps of a chat, without React. */
class State {
  status = 'ready' as const
  error: Error | undefined
  messages: object[]
  constructor(messages: object[]) {
    this.messages = messages
  }
  pushMessage = (message: object) => {
    this.messages = [...this.messages, message]
  }
  popMessage = () => {
    this.messages = this.messages.slice(0, -1)
  }
  replaceMessage = (index: number, message: object) => {
    this.messages = this.messages.with(index, structuredClone(message))
  }
  snapshot = <T>(value: T): T => structuredClone(value)
}

class Chat extends AbstractChat<never> {}

const makeChat: MakeChat = ({ id, messages = [], fetch, onError }) =>
  new Chat({
    id,
    onError,
    state: new State(messages) as never,
    transport: new DefaultChatTransport({ fetch }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  }) as unknown as ReturnType<MakeChat>

const sdk = { makeChat, createUIMessageStreamResponse, readUIMessageStream } as unknown as Sdk
const checks: Record<string, () => Promise<void>> = {}
for (const [name, check] of Object.entries({ ...cases, ...historyCases, ...hostileCases, ...kindCases })) {
  checks[name] = () => check(makeChat)
}
for (const [name, check] of Object.entries(threadCases)) checks[name] = () => check(sdk)

const results: Record<string, string> = {}
for (const [name, check] of Object.entries(checks)) {
  results[name] = await check().then(
    () => 'passed',
    (error: unknown) => (error as Error).stack ?? String(error),
  )
}
process.stdout.write(`\n${JSON.stringify(results)}\n`)
