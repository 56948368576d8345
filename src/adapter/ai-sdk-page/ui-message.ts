import { InputInvalid } from '../../ports.ts'

/** A message of a `useChat` page, as far as it is read here. */
export interface UiMessage {
  id?: string
  role: string
  parts?: readonly object[]
}

/** The answer to an approval, as the page keeps it in its part. */
export interface UiApproval {
  id: string
  approved?: boolean
  reason?: string
  descriptor?: unknown
}

/** A tool call in a message of the page. */
export interface UiToolPart {
  type: string
  toolName?: string
  toolCallId: string
  state: string
  input?: unknown
  approval?: UiApproval
  providerExecuted?: boolean
}

/** Checks what a page sent as its messages. Throws `InputInvalid`. */
export function checkMessages(given: unknown): void {
  if (!Array.isArray(given)) throw new InputInvalid('The messages of the page must be an array.')
  for (const message of given as unknown[]) {
    const parts = isObject(message) ? ((message as { parts?: unknown }).parts ?? []) : undefined
    if (!Array.isArray(parts) || !parts.every(isObject))
      throw new InputInvalid('Each message of the page must be an object, with an array of objects as its parts.')
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The part as a tool call, or undefined if it is something else. */
export function toolPart(part: object): UiToolPart | undefined {
  const { type, toolCallId, state } = part as Partial<UiToolPart>
  if (typeof type !== 'string' || typeof toolCallId !== 'string' || typeof state !== 'string') return undefined
  return type === 'dynamic-tool' || type.startsWith('tool-') ? (part as UiToolPart) : undefined
}

/** The name of the tool that a part calls. */
export function toolNameOf({ type, toolName }: UiToolPart): string {
  return type === 'dynamic-tool' ? String(toolName) : type.slice('tool-'.length)
}

/** The answer of a part that somebody has just answered on the page. */
export function answeredApproval({ state, approval }: UiToolPart): (UiApproval & { approved: boolean }) | undefined {
  const isAnswer = state === 'approval-responded' && typeof approval?.id === 'string'
  return isAnswer && typeof approval.approved === 'boolean' ? { ...approval, approved: approval.approved } : undefined
}
