import type { RequestDetail } from '../../../protocol/api/requests.ts'
import type { EntryOf } from '../../../protocol/entries/entry.ts'
import { type JsonValue, jsonEqual } from '../../../protocol/json/json.ts'
import type { Sight } from './sight.ts'
import { isOf, type ThreadEntry } from './thread-entries.ts'

type Change = RequestDetail['changes'][number]
type Opened = EntryOf<'request.opened'>

const MOST = 100
/** The facts of a call that a person decides about. */
const COMPARED = ['toolName', 'args', 'preview', 'preconditions'] as const

/** What changed since the request that this one replaces, if its reader may see both. */
export function changesOf(entries: readonly ThreadEntry[], opened: Opened, sight: Sight): Change[] {
  if (opened.supersedes === undefined) return []
  const before = entries.filter(isOf('request.opened')).find(({ entry }) => entry.id === opened.supersedes)?.entry
  if (!before || !sight.request(before)) return []
  return COMPARED.flatMap((fact) => difference(fact, before[fact] as JsonValue, opened[fact] as JsonValue)).slice(
    0,
    MOST,
  )
}

/** The differences of two values, by the paths of what differs. */
function difference(path: string, from: JsonValue | undefined, to: JsonValue | undefined): Change[] {
  if (from === undefined && to === undefined) return []
  if (from !== undefined && to !== undefined && jsonEqual(from, to)) return []
  if (isRecord(from) && isRecord(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])]
    return keys.flatMap((key) => difference(`${path}.${key}`, own(from, key), own(to, key)))
  }
  return [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }]
}

/** Arrays are compared whole. */
function isRecord(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function own(value: { [key: string]: JsonValue }, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined
}
