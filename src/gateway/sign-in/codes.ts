import { z } from 'zod'
import type { RecordChange, RecordStore } from '../../ports/records.ts'
import { pairText, parsePair } from './cookie.ts'
import { idOf, newSecret, type Person } from './session-records.ts'

/** How long a one-time code can be used. */
export const CODE_MS = 10 * 60_000
const KIND = 'code'

const codeValue = z.object({
  v: z.literal(1),
  sub: z.string(),
  roles: z.array(z.string()),
  groups: z.array(z.string()),
})

/** Stores a one-time code for a person, and returns it. Only whoever may write to the store can do this. */
export async function createCode(records: RecordStore, person: Omit<Person, 'expiresAt'>): Promise<string> {
  const { sub, tenant, roles, groups = [] } = person
  const token = newSecret()
  const value = JSON.stringify({ v: 1, sub, roles: [...roles], groups: [...groups] } satisfies z.infer<
    typeof codeValue
  >)
  const change: RecordChange = { op: 'put', kind: KIND, id: idOf(token), value, expect: 0, ttlMs: CODE_MS }
  const stored = await records.writeRecords([change])
  // Two random values of 256 bits are never equal.
  if (!stored.ok) throw new Error('a new one-time code was taken already')
  return pairText({ tenant, token })
}

/** The address that signs a person in: the code is in the fragment, which browsers do not send, so that opening the address spends nothing. */
export function signInLink(url: string, code: string): string {
  return `${url.replace(/\/$/, '')}/#code=${code}`
}

/** Reads a one-time code: for whom it is, and the change that spends it. Of two that spend it at once, the store lets one. */
export async function readCode(
  recordsOf: (tenant: string) => RecordStore | undefined,
  code: string,
): Promise<{ person: Person; spend: RecordChange } | undefined> {
  const pair = parsePair(code)
  const records = pair && recordsOf(pair.tenant)
  if (!records) return undefined
  const id = idOf(pair.token)
  const record = await records.readRecord(KIND, id)
  if (!record) return undefined
  const { v: _, ...person } = codeValue.parse(JSON.parse(record.value))
  return {
    person: { ...person, tenant: pair.tenant, link: true },
    spend: { op: 'delete', kind: KIND, id, expect: record.version },
  }
}
