import { Chat } from '@ai-sdk/react'
import {
  createUIMessageStreamResponse,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessage,
  validateUIMessages,
} from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { toUIMessages } from '../../../src/ai-sdk.ts'
import { RunState } from '../../../src/index.ts'
import { cases } from './cases.ts'
import { historyCases, secondQuestion } from './history-cases.ts'
import { hostileCases } from './hostile-cases.ts'
import { kindCases } from './kind-cases.ts'
import type { MakeChat } from './page.ts'
import { type Sdk, threadCases } from './thread-cases.ts'

/** The chat that `useChat` uses. */
const makeChat: MakeChat = ({ id, messages = [], fetch, onError }) =>
  new Chat({
    id,
    messages: messages as never,
    onError,
    transport: new DefaultChatTransport({ fetch }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  }) as unknown as ReturnType<MakeChat>

describe('a run on a page of the AI SDK 6', () => {
  test.each(Object.entries({ ...cases, ...historyCases, ...hostileCases, ...kindCases }))(
    '%s',
    async (_name, check) => {
      await expect(check(makeChat)).resolves.toBeUndefined()
    },
  )

  test('the messages of a chat have the type of the SDK and pass its check', async () => {
    const { shop } = await secondQuestion(makeChat)
    const state = await RunState.load(shop.agent, { store: shop.store, threadId: 'chat/ann/chat-1', messages: true })
    const messages: UIMessage[] = toUIMessages(state)
    expect(messages).toHaveLength(4)
    await expect(validateUIMessages({ messages })).resolves.toMatchObject(messages)
  })

  test('the messages of a chat take one fold of its thread, however many runs it has', async () => {
    const { shop } = await secondQuestion(makeChat)
    const state = await RunState.load(shop.agent, { store: shop.store, threadId: 'chat/ann/chat-1', messages: true })
    const folds = vi.spyOn(state, 'threadRuns')
    toUIMessages(state)
    expect(folds).toHaveBeenCalledTimes(1)
  })
})

describe('a thread on a page of the AI SDK 6', () => {
  const sdk = { makeChat, createUIMessageStreamResponse, readUIMessageStream } as unknown as Sdk

  test.each(Object.entries(threadCases))('%s', async (_name, check) => {
    await expect(check(sdk)).resolves.toBeUndefined()
  })
})
