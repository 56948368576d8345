import type { JsonObject } from '../../index.ts'

/** An entry of a journal, as it is exported. */
interface JournalEntry {
  readonly seq: number
  readonly at: string
  readonly entry: unknown
}

/** What is printed of an entry, or of several that belong together. */
export interface JournalStep {
  readonly from: number
  to: number
  readonly at: string
  readonly type: string
  readonly facts: JsonObject
}

/** The entries of a journal for people. Erased entries in a row are told as one, and so are the entries that account for them. */
export function journalSteps(entries: readonly JournalEntry[]): JournalStep[] {
  const steps: JournalStep[] = []
  let last: string | undefined
  for (const { seq, at, entry } of entries) {
    const { type = '', v: _version, ...facts } = entry as JsonObject
    const erased = type === 'erased' ? erasedFacts(facts) : undefined
    const key = erased && JSON.stringify(erased)
    const before = steps.at(-1)
    if (before && key !== undefined && key === last) before.to = seq
    else steps.push({ from: seq, to: seq, at, type: String(type), facts: erased ?? facts })
    last = key
  }
  return steps
}

/** What all erased entries, or all that account for them, have in common. */
function erasedFacts({ entry, by, reason }: JsonObject): JsonObject {
  if (entry === undefined || reason === undefined) return {}
  const { kind = '', id = '' } = Object(by) as JsonObject
  return { by: `${String(kind)} ${String(id)}`.trim(), reason }
}
