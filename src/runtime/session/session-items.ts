import type { Session, SessionItem } from '../../ports/session.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, jsonProblem } from '../../protocol/json/json.ts'
import { message as messageSchema } from '../../protocol/message.ts'

const METHODS = ['getSessionId', 'getItems', 'addItems', 'popItem', 'clearSession'] as const

/** Throws unless the value has all methods of a session. */
export function checkSession(session: unknown): asserts session is Session {
  const missing = METHODS.find((name) => typeof (session as Record<string, unknown> | null)?.[name] !== 'function')
  if (missing) throw new InputInvalid(`session must be a Session, but has no method ${missing}.`)
}

/** Returns copies of the items. Throws `InputInvalid` if one is not a message. */
export function checkItems(items: unknown): SessionItem[] {
  if (!Array.isArray(items)) throw new InputInvalid('The items of a session must be an array.')
  return items.map((item: unknown, index) => {
    const { id } = (item ?? {}) as { id?: unknown }
    const issue = messageSchema().safeParse(item).error?.issues[0]
    const problem =
      issue?.message ??
      jsonProblem(item, `items[${index}]`) ??
      (id === undefined || typeof id === 'string' ? undefined : 'its id is not a string')
    if (problem !== undefined) throw new InputInvalid(`items[${index}] is not a message: ${problem}.`)
    return cloneJson(item as JsonObject) as SessionItem
  })
}

/** The items that are not in a session yet, without duplicates. */
export function unknownItems(items: readonly SessionItem[], present: readonly SessionItem[]): SessionItem[] {
  const ids = new Set(present.map(({ id }) => id))
  return items.filter(({ id }) => {
    if (id === undefined) return true
    const known = ids.has(id)
    ids.add(id)
    return !known
  })
}

/** The newest `limit` items; all if there is no limit. */
export function newest(items: readonly SessionItem[], limit: number | undefined): SessionItem[] {
  if (limit === undefined) return [...items]
  checkLimit(limit)
  return items.slice(-limit)
}

/** Checks the limit of a session read. */
export function checkLimit(limit: unknown): void {
  if (!(Number.isInteger(limit) && (limit as number) > 0)) {
    throw new InputInvalid('The limit of session items must be a positive integer.')
  }
}
