// A page with `useChat`, as any AI SDK application has it. It knows nothing of holdpoint, except for the button that edits.
import { useChat } from '@ai-sdk/react'
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

function Page({ id }: { id: string }) {
  const [text, setText] = useState('')
  const { messages, sendMessage, addToolApprovalResponse, error } = useChat({
    id,
    // Shows the question again after a reload, and follows what happens elsewhere.
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  return (
    <main>
      {messages.map((message) => (
        <section key={message.id} aria-label={message.role}>
          {message.parts.map((part, index) => {
            const key = `${message.id}-${index}`
            if (part.type === 'text') return <p key={key}>{part.text}</p>
            if (part.type !== 'dynamic-tool') return null
            const { toolName, input, state } = part
            if (state !== 'approval-requested') {
              return (
                <p key={key}>
                  {toolName}: {state} {state === 'output-available' && JSON.stringify(part.output)}
                </p>
              )
            }
            const approvalId = part.approval.id
            const args = { ...(input as object), cents: 1999 }
            const body = { holdpoint: { type: 'edit', args } }
            return (
              <fieldset key={key}>
                <legend>
                  {toolName} {JSON.stringify(input)}
                </legend>
                <button type="button" onClick={() => addToolApprovalResponse({ id: approvalId, approved: true })}>
                  Approve
                </button>
                <button
                  type="button"
                  onClick={() => addToolApprovalResponse({ id: approvalId, approved: true, options: { body } })}
                >
                  Only 19.99
                </button>
                <button
                  type="button"
                  onClick={() => addToolApprovalResponse({ id: approvalId, approved: false, reason: 'Not this time.' })}
                >
                  Deny
                </button>
              </fieldset>
            )
          })}
        </section>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void sendMessage({ text })
          setText('')
        }}
      >
        <input
          aria-label="Message"
          value={text}
          onChange={(event) => setText((event.target as unknown as { value: string }).value)}
        />
        <button type="submit">Send</button>
      </form>
    </main>
  )
}

const { document, location } = globalThis as unknown as {
  document: { getElementById(id: string): Parameters<typeof createRoot>[0] }
  location: { pathname: string }
}
createRoot(document.getElementById('root')).render(<Page id={location.pathname.slice(1)} />)
