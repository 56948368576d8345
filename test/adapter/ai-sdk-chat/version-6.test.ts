import { Chat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import { describe, expect, test } from 'vitest'
import { cases } from './cases.ts'
import { hostileCases } from './hostile-cases.ts'
import { kindCases } from './kind-cases.ts'
import type { MakeChat } from './page.ts'

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
  test.each(Object.entries({ ...cases, ...hostileCases, ...kindCases }))('%s', async (_name, check) => {
    await expect(check(makeChat)).resolves.toBeUndefined()
  })
})
