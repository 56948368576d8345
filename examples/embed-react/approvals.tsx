/**
 * Approvals inside of a team's own React app: what waits for the person, one request, and the verdict.
 * `<Approvals url="https://app.example/holdpoint" token={yourToken} />` is all that the app renders.
 */
import { createInboxClient, type RequestDetail } from 'holdpoint/client'
import { AskForm, EditForm, InboxProvider, RequestCard, useDecide, useRequest, useRequests } from 'holdpoint/react'
import { type ComponentProps, useState } from 'react'

/** `token` returns your own sign-in's token, which the gateway's `auth` accepts. */
export function Approvals({ url, token }: { url: string; token: () => Promise<string> }) {
  const [client] = useState(() => createInboxClient({ url, token }))
  return (
    <InboxProvider client={client}>
      <Queue />
    </InboxProvider>
  )
}

function Queue() {
  const { rows, state, fresh, showFresh } = useRequests({ mine: true })
  const [chosen, choose] = useState<string>()
  if (state === 'loading') return <p role="status">Loading …</p>
  return (
    <div className="approvals">
      <nav aria-label="Waiting">
        {fresh > 0 && <Button onClick={showFresh}>{fresh} new</Button>}
        {rows.length === 0 && <p>Nothing waits for you.</p>}
        {rows.map(({ request, state }) => (
          <Button key={request.id} disabled={state !== 'waiting'} onClick={() => choose(request.id)}>
            {request.title}
          </Button>
        ))}
      </nav>
      {chosen !== undefined && <Request key={chosen} id={chosen} />}
    </div>
  )
}

function Request({ id }: { id: string }) {
  const { detail, changed, state, showNow } = useRequest(id)
  if (detail === undefined) return <p role="status">{state === 'absent' ? 'It is gone.' : 'Loading …'}</p>
  return (
    <RequestCard detail={detail}>
      {changed === undefined ? (
        <Verdict detail={detail} />
      ) : (
        <p role="alert">
          {changed.kind === 'changed' ? 'It changed while you were reading.' : 'It no longer waits.'}{' '}
          <Button onClick={showNow}>Show it as it is now</Button>
        </p>
      )}
    </RequestCard>
  )
}

function Verdict({ detail }: { detail: RequestDetail }) {
  const { request } = detail
  const { decide, answer, undo, sendHeld, of } = useDecide()
  const [editing, edit] = useState(false)
  const verdict = of(request.id)
  if (verdict.state === 'undoable')
    return (
      <p role="status">
        Stored. <Button onClick={() => void undo(request.id)}>Undo</Button>
      </p>
    )
  if (verdict.state === 'held')
    return (
      <p role="status">
        No connection: not sent. <Button onClick={() => void sendHeld(request.id)}>Send it now</Button>
      </p>
    )
  if (['sending', 'withdrawing', 'done'].includes(verdict.state)) return <p role="status">{verdict.state}</p>
  if (request.kind === 'ask') return <AskForm request={request} onSubmit={(answers) => void answer(request, answers)} />
  if (editing)
    return (
      <EditForm
        detail={detail}
        onSubmit={(args) => void decide(request, { type: 'edit', args })}
        onCancel={() => edit(false)}
      />
    )
  const approve = () => (request.kind === 'confirm' ? answer(request, true) : decide(request, { type: 'approve' }))
  const reject = () => (request.kind === 'confirm' ? answer(request, false) : decide(request, { type: 'reject' }))
  return (
    <p>
      {verdict.state === 'failed' && <span role="alert">Nothing was decided: {String(verdict.error)} </span>}
      <Button onClick={() => void reject()}>Reject</Button>
      {request.allowedDecisions.includes('edit') && <Button onClick={() => edit(true)}>Edit</Button>}
      <Button onClick={() => void approve()}>Approve: {request.title}</Button>
    </p>
  )
}

function Button(props: ComponentProps<'button'>) {
  return <button type="button" {...props} />
}
