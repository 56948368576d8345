import type { Decision, HitlRequest, JsonObject } from '../../index.ts'
import { InputInvalid } from '../../ports.ts'

/** A request in the form of the Agent Inbox of LangChain. */
export interface HumanInterrupt {
  action_request: { action: string; args: JsonObject }
  config: { allow_ignore: boolean; allow_respond: boolean; allow_edit: boolean; allow_accept: boolean }
  description?: string
}

/** An answer in that form. `'edit'` has `{ action, args }`, `'response'` a string. */
export interface HumanResponse {
  type: 'accept' | 'ignore' | 'response' | 'edit'
  args?: unknown
}

/** A request for code that shows the interrupts of the Agent Inbox. */
export function toHumanInterrupt(request: HitlRequest): HumanInterrupt {
  const { toolName = '', args = {}, allowedDecisions, description } = request
  return {
    action_request: { action: toolName, args: structuredClone(args) },
    config: {
      allow_ignore: allowedDecisions.includes('reject'),
      allow_respond: allowedDecisions.includes('respond'),
      allow_edit: allowedDecisions.includes('edit'),
      allow_accept: allowedDecisions.includes('approve'),
    },
    ...(description === undefined ? {} : { description }),
  }
}

/** The decision of an answer of the Agent Inbox, which is an array of one. Throws `InputInvalid`. */
export function fromHumanResponse(
  answer: HumanResponse | readonly HumanResponse[],
  request: Pick<HitlRequest, 'toolName'>,
): Decision {
  const answers = [answer].flat() as HumanResponse[]
  const [given] = answers
  if (answers.length !== 1 || typeof given !== 'object' || given === null)
    throw new InputInvalid('An answer of the Agent Inbox must be an array of one object.')
  const { type, args } = given
  switch (type) {
    case 'accept':
      return { type: 'approve' }
    case 'ignore':
      return { type: 'reject' }
    case 'response':
      if (typeof args !== 'string') throw new InputInvalid('A response of the Agent Inbox must have a string as args.')
      return { type: 'respond', message: args }
    case 'edit':
      return { type: 'edit', args: editedArgs(args, request) }
    default: {
      throw new InputInvalid(
        `The Agent Inbox has no answer ${JSON.stringify(type satisfies never)}: use accept, ignore, response or edit.`,
      )
    }
  }
}

function editedArgs(edit: unknown, { toolName }: Pick<HitlRequest, 'toolName'>): JsonObject {
  const { action, args } = (edit ?? {}) as { action?: unknown; args?: unknown }
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    throw new InputInvalid('An edit of the Agent Inbox must have { action, args } as args.')
  if (action !== toolName) throw new InputInvalid('An edit cannot change which tool is called.')
  return args as JsonObject
}
