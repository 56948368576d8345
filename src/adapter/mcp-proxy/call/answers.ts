import type { GateState } from '../../../gate.ts'
import type { JsonObject } from '../../../protocol/json/json.ts'
import type { ListedTool } from '../../mcp/connection.ts'

/** A state in which a person is asked. */
export type Waiting = Extract<GateState, { status: 'held' | 'unknown' }>

/** An ordinary result that says why a call has none of its own. */
export function refusal(message: string, isError = true): JsonObject {
  return { content: [{ type: 'text', text: message }], ...(isError ? { isError } : {}) }
}

/** Tells the client that a person has not decided yet, and how to get the result. */
export function heldAnswer(state: Waiting, listed: ListedTool, inboxUrl: string | undefined): JsonObject {
  const { request } = state
  const id = request?.id
  const url = inboxUrl === undefined ? {} : { url: inboxUrl }
  const holdpoint = { status: state.status, ...(id === undefined ? {} : { requestId: id }), ...url }
  return {
    ...refusal(heldText(state, listed.name, inboxUrl)),
    // Clients check structured content against the tool's own schema.
    ...(listed.outputSchema ? {} : { structuredContent: { holdpoint } }),
    _meta: { 'holdpoint/held': holdpoint },
  }
}

/** One line for people who watch the client wait. */
export function waitingText({ request }: Waiting, inboxUrl: string | undefined): string {
  const where = inboxUrl === undefined ? '' : `: ${inboxUrl}`
  return `waiting for approval${request ? ` (request ${request.id})` : ''}${where}`
}

function heldText({ status, request }: Waiting, tool: string, inboxUrl: string | undefined): string {
  const where = inboxUrl === undefined ? '' : ` The inbox: ${inboxUrl}.`
  const again = `Call ${tool} again with the same arguments to get the result.`
  if (status === 'held') return `Held for approval (request ${request.id}): a person has to decide.${where} ${again}`
  if (request)
    return `It is not known whether this call of ${tool} took effect. A person is asked (request ${request.id}).${where} ${again}`
  return `This call of ${tool} was started elsewhere and has not ended. ${again}`
}
