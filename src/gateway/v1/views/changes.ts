import { jsonDifferences } from '../../../core/display/json-differences.ts'
import type { RequestDetail } from '../../../protocol/api/requests.ts'
import type { EntryOf } from '../../../protocol/entries/entry.ts'
import type { JsonValue } from '../../../protocol/json/json.ts'

type Change = RequestDetail['changes'][number]
type Opened = EntryOf<'request.opened'>

const MOST = 100
/** The facts of a call that a person decides about. */
const COMPARED = ['toolName', 'args', 'preview', 'preconditions'] as const

/** What changed since the request that this one replaces. */
export function changesSince(before: Opened, opened: Opened): Change[] {
  return COMPARED.flatMap((fact) =>
    jsonDifferences({ path: fact, from: before[fact] as JsonValue, to: opened[fact] as JsonValue }, 'whole'),
  ).slice(0, MOST)
}
