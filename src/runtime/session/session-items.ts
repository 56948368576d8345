import type { Session, SessionItem } from '../../ports/session.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, jsonProblem } from '../../protocol/json/json.ts'
import { message as messageSchema } from '../../protocol/message.ts'

const METHODS = ['getSessionId', 'getItems', 'addItems', 'popItem', 'clearSession'] as const

/** Checks that something can be used as a session. */
export function checkSession(session: unknown): asserts session is Session {
  const missing = METHODS.find((name) => typeof (session as Record<string, unknown> | null)?.[name] !== 'function')
  if (missing) throw new InputInvalid(`session must be a Session, and has no method ${missing}.`)
}

/** Items as plain copies, or what is wrong with them. */
export function checkItems(items: unknown): SessionItem[] {
  if (!Array.isArray(items)) throw new InputInvalid('A session holds a list of items.')
  return items.map((item: unknown, index) => {
    const { id } = (item ?? {}) as { id?: unknown }
    const issue = messageSchema.safeParse(item).error?.issues[0]
    const problem =
      issue?.message ??
      jsonProblem(item, `items[${index}]`) ??
      (id === undefined || typeof id === 'string' ? undefined : 'its id is not a text')
    if (problem !== undefined) throw new InputInvalid(`items[${index}] is not a message: ${problem}.`)
    return cloneJson(item as JsonObject) as SessionItem
  })
}

/** Those of several items that are not in a session yet, each once. */
export function unknownItems(items: readonly SessionItem[], present: readonly SessionItem[]): SessionItem[] {
  const ids = new Set(present.map(({ id }) => id))
  return items.filter(({ id }) => {
    if (id === undefined) return true
    const known = ids.has(id)
    ids.add(id)
    return !known
  })
}

/** The newest of several items. */
export function newest(items: readonly SessionItem[], limit: number | undefined): SessionItem[] {
  if (limit === undefined) return [...items]
  checkLimit(limit)
  return items.slice(-limit)
}

/** Checks how many items are to be read. */
export function checkLimit(limit: unknown): void {
  if (!(Number.isInteger(limit) && (limit as number) > 0)) {
    throw new InputInvalid('A limit of session items must be a positive whole number.')
  }
}
