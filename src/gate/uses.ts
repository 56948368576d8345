import { isThreadErased } from '../protocol/errors/errors.ts'
import { canonicalJson, sha256 } from '../protocol/json/canonical.ts'
import type { JsonObject } from '../protocol/json/json.ts'
import { GATE_USE } from '../protocol/record-kinds.ts'
import { CallThread } from './call-thread.ts'
import { externalKey } from './foreign-call.ts'
import type { GateSettings } from './settings.ts'
import type { ForeignCall } from './types.ts'

/** How long an end may take that is found by these records. Later ends are found by the arguments alone. */
const KEPT_MS = 7 * 86_400_000

/**
 * Notes under which names the host will report the end of a call that it runs: its id of this use of the call, or, without one, the arguments if a person
 * changed them. It is written before the host is told to run the call.
 */
export async function noteUse(
  settings: GateSettings,
  call: ForeignCall,
  { threadId, edited }: { threadId: string; edited: JsonObject | undefined },
): Promise<void> {
  if (call.useId === undefined && edited === undefined) return
  const id = idOf(settings, { ...call, args: edited ?? call.args })
  await settings.store.writeRecords([{ op: 'put', kind: GATE_USE, id, value: threadId, ttlMs: KEPT_MS }])
}

/** The call that was handed over for this use, or with these edited arguments. */
export async function callOfUse(settings: GateSettings, call: ForeignCall): Promise<CallThread | undefined> {
  const record = await settings.store.readRecord(GATE_USE, idOf(settings, call))
  if (!record) return undefined
  try {
    return await CallThread.attach(settings, call, record.value)
  } catch (error) {
    if (isThreadErased(error)) return undefined
    throw error
  }
}

/** Forgets a use whose end is recorded. */
export async function forgetUse(settings: GateSettings, call: ForeignCall): Promise<void> {
  await settings.store.writeRecords([{ op: 'delete', kind: GATE_USE, id: idOf(settings, call) }])
}

/** The arguments are not part of the name of a use: the host may report those that it was given. */
function idOf({ source }: GateSettings, call: ForeignCall): string {
  const { principal = null, threadId, useId } = call
  if (useId === undefined) return externalKey(source, call)
  return sha256(canonicalJson({ source, principal, threadId, useId }))
}
