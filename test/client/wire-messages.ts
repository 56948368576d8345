import type { ClientMessage } from '../../src/client.ts'

/** A question on the wire. */
export function question(id: string, type = 'ChoiceForm', more: { tool?: string; detail?: unknown } = {}) {
  const { tool = 'pick', detail = null } = more
  const body = { tool_name: tool, type, tool_exec_uuid: `exec-${id}`, detail }
  return { msg_id: id, msg_type: 'HIL_interrupt_request', content: { source: 'agent_tool_call', body } }
}

/** A notification on the wire. */
export function note(id: string, content: object = { text: id }) {
  return { msg_id: id, msg_type: 'Notification', content }
}

/** The notification that takes a question back. */
export function retraction(id: string, messageId: string) {
  const body = { tool_name: 'pick', type: 'Retracted', tool_exec_uuid: 'x', detail: { msg_id: messageId } }
  return note(id, { source: 'agent_tool_call', body })
}

/** The ids of messages, in order. */
export const idsOf = (messages: readonly ClientMessage[]): string[] => messages.map(({ id }) => id)
