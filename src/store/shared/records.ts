import type { RecordChange, RecordQuery, StoredRecord } from '../../ports/records.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { isWellFormed } from '../../protocol/json/json.ts'

/** The longest kind and id of a record, in UTF-16 units. */
const LONGEST_NAME = 300

/** Sorts after every character that an id may have: the end of a range of ids with one prefix. */
const AFTER_ALL = '\u{10ffff}'

/** What a write does to the records that it names: which one refuses it, or what each is afterwards. */
export type JudgedRecords = { refused: string } | { records: ReadonlyMap<string, NextRecord> }

/** A record after a write. `next` is `undefined` if it was deleted. */
export interface NextRecord {
  kind: string
  id: string
  next: StoredRecord | undefined
}

/** Judges changes by the store's time. Each sees those before it. `find` may return expired records: they count as absent. */
export function judgeRecords(
  changes: readonly RecordChange[],
  { now, find }: { now: number; find(kind: string, id: string): StoredRecord | undefined },
): JudgedRecords {
  const records = new Map<string, NextRecord>()
  for (const change of changes) {
    const { kind, id } = change
    const key = recordKey(kind, id)
    const seen = records.get(key)
    const known = live(seen ? seen.next : find(kind, id), now)
    if (change.expect !== undefined && change.expect !== (known?.version ?? 0)) return { refused: id }
    records.set(key, { kind, id, next: change.op === 'put' ? written(change, known, now) : undefined })
  }
  return { records }
}

function written(
  { kind, id, value, ttlMs }: Extract<RecordChange, { op: 'put' }>,
  known: StoredRecord | undefined,
  at: number,
): StoredRecord {
  return { kind, id, version: (known?.version ?? 0) + 1, value, at, expiresAt: ttlMs === undefined ? null : at + ttlMs }
}

/** The record, unless it has expired. */
export function live(record: StoredRecord | undefined, now: number): StoredRecord | undefined {
  return record && (record.expiresAt === null || record.expiresAt > now) ? record : undefined
}

/** One string for a record of a tenant. */
export function recordKey(kind: string, id: string): string {
  return `${kind}\u0000${id}`
}

/** The ids with a prefix: from the first on, and up to the second. */
export function idRange({ prefix = '' }: RecordQuery): [from: string, to: string] {
  return [prefix, `${prefix}${AFTER_ALL}`]
}

/** Throws `InputInvalid` for changes that no store could apply. */
export function checkRecords(changes: readonly RecordChange[]): void {
  for (const { kind, id, expect, ...change } of changes) {
    checkName('kind', kind)
    checkName('id', id)
    if (expect !== undefined && (!Number.isInteger(expect) || expect < 0))
      throw new InputInvalid(`expect must be a version of a record, not ${expect}`)
    if (change.op === 'put') checkValue(change)
  }
}

function checkValue({ value, ttlMs }: { value: string; ttlMs?: number }): void {
  if (typeof value !== 'string' || !isWellFormed(value) || value.includes('\u0000')) {
    throw new InputInvalid('the value of a record must be a well-formed string without U+0000')
  }
  if (ttlMs !== undefined && (!Number.isSafeInteger(ttlMs) || ttlMs <= 0))
    throw new InputInvalid(`ttlMs must be a positive number of milliseconds, not ${ttlMs}`)
}

function checkName(what: string, name: unknown): void {
  const isName = typeof name === 'string' && name.length > 0 && name.length <= LONGEST_NAME && isWellFormed(name)
  if (!isName || name.includes('\u0000') || name.includes(AFTER_ALL)) {
    throw new InputInvalid(`the ${what} of a record must be a string of 1 to ${LONGEST_NAME} ordinary characters`)
  }
}
