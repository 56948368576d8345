// A page with `useChat`, as any AI SDK application has it. It knows nothing of holdpoint, except for the body that carries an edit.
import { useChat } from '@ai-sdk/react'
import { type DynamicToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

type Fields = Record<string, string | number>
type Answer = ReturnType<typeof useChat>['addToolApprovalResponse']

const LOOKS: Record<string, [label: string, look: string]> = {
  'approval-requested': ['needs your approval', 'waits'],
  'output-available': ['done', 'done'],
  'output-denied': ['denied', 'denied'],
  'output-error': ['failed', 'denied'],
}

/** A call of the agent. One that waits for a person can be changed before it is approved. */
function Call({ part, answer }: { part: DynamicToolUIPart; answer: Answer }) {
  const asked = part.input as Fields
  const [fields, setFields] = useState(asked)
  const [label, look] = LOOKS[part.state] ?? ['running …', '']
  const changed = Object.keys(asked).some((key) => fields[key] !== asked[key])
  const change = (key: string, text: string) =>
    setFields({ ...fields, [key]: typeof asked[key] === 'number' ? Number(text) : text })
  const approve = (id: string) => {
    const body = changed ? { holdpoint: { type: 'edit', args: fields } } : {}
    void answer({ id, approved: true, options: { body } })
  }
  return (
    <article className={`call ${look}`} aria-label={`${part.toolName}: ${label}`}>
      <h2>
        {part.toolName} <span>{label}</span>
      </h2>
      {Object.entries(asked).map(([key, value]) =>
        part.state === 'approval-requested' ? (
          <label key={key}>
            {key}
            <input
              value={fields[key] ?? ''}
              inputMode={typeof value === 'number' ? 'numeric' : 'text'}
              onChange={(event) => change(key, textIn(event))}
            />
          </label>
        ) : (
          <div className="value" key={key}>
            <span>{key}</span> {value}
          </div>
        ),
      )}
      {part.state === 'approval-requested' && (
        <div className="answers">
          <button type="button" className="yes" onClick={() => approve(part.approval.id)}>
            {changed ? 'Approve with changes' : 'Approve'}
          </button>
          <button
            type="button"
            onClick={() => void answer({ id: part.approval.id, approved: false, reason: 'Not this time.' })}
          >
            Deny
          </button>
        </div>
      )}
      {part.state === 'output-available' && <output>{shown(part.output)}</output>}
      {part.state === 'output-error' && <output>{part.errorText}</output>}
    </article>
  )
}

function Page({ id, stored }: { id: string; stored: UIMessage[] }) {
  const [text, setText] = useState('')
  const { messages, sendMessage, addToolApprovalResponse, error } = useChat({
    id,
    // The conversation so far. After a reload the question is there again.
    messages: stored,
    // Follows a run that is under way. A question waits for its answer, which is followed anyway.
    resume: !stored.some(waits),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  return (
    <main>
      <header>
        <h1>Support</h1>
        <p>Refunds wait for your approval, also while the server is restarted.</p>
      </header>
      {messages.map((message) => (
        <section key={message.id} aria-label={message.role}>
          {message.parts.map((part, index) => {
            const key = `${message.id}-${index}`
            if (part.type === 'text') return <p key={key}>{part.text}</p>
            return part.type === 'dynamic-tool' ? (
              <Call key={part.toolCallId} part={part} answer={addToolApprovalResponse} />
            ) : null
          })}
        </section>
      ))}
      {error && <div role="alert">{error.message}</div>}
      <form
        className="say"
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() === '') return
          void sendMessage({ text })
          setText('')
        }}
      >
        <input
          aria-label="Message"
          placeholder="Please refund order 42."
          value={text}
          onChange={(event) => setText(textIn(event))}
        />
        <button type="submit" className="send">
          Send
        </button>
      </form>
    </main>
  )
}

/** Whether a message asks for an approval. */
function waits({ parts }: UIMessage): boolean {
  return parts.some((part) => part.type === 'dynamic-tool' && part.state === 'approval-requested')
}

/** What a tool returned. A call that a person changed returns what ran, too. */
function shown(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output)
}

/** The examples are compiled without the types of browsers. */
function textIn({ target }: { target: unknown }): string {
  return (target as { value: string }).value
}

const { document, location } = globalThis as unknown as {
  document: { getElementById(id: string): Parameters<typeof createRoot>[0] }
  location: { pathname: string }
}
const id = location.pathname.slice(1)
const stored = (await (await fetch(`/api/chat/${id}/messages`)).json()) as UIMessage[]
createRoot(document.getElementById('root')).render(<Page id={id} stored={stored} />)
