import { randomUUID } from 'node:crypto'
import type { HilMessage } from '../../../src/protocol/hil/hil.ts'
import type { JsonObject } from '../../../src/protocol/json/json.ts'

/** A question as applications ask it. */
export function question(detail: JsonObject = {}, body: object = {}): HilMessage {
  const asked = { tool_name: 'pick', type: 'ChoiceForm', tool_exec_uuid: randomUUID(), detail, ...body }
  return {
    msg_id: randomUUID(),
    msg_type: 'HIL_interrupt_request',
    content: { source: 'agent_tool_call', body: asked },
  }
}

/** Something to be shown. */
export function note(text: string): HilMessage {
  return { msg_id: randomUUID(), msg_type: 'Notification', content: { text } }
}
