import { callsOf } from '../core/queries.ts'
import type { Call } from '../core/state.ts'
import type { StoredRecord } from '../ports/records.ts'
import { warn } from '../ports/warnings.ts'
import { editOf } from '../protocol/decision.ts'
import { isThreadErased, messageOf } from '../protocol/errors/errors.ts'
import { sha256 } from '../protocol/json/canonical.ts'
import { GATE_HANDED_OVER } from '../protocol/record-kinds.ts'
import { CallThread } from './call-thread.ts'
import type { GateSettings } from './settings.ts'

/** How long a record is kept that no process looks at. */
const KEPT_MS = 30 * 86_400_000

/** How many calls a sweep looks at. */
const MOST = 100

/** Notes when people must be asked about a call. It is written before the call is handed over, so that none is forgotten. */
export async function expectEnd(settings: GateSettings, { journal }: CallThread): Promise<void> {
  const { handedOverMs, store, newId } = settings
  const [call] = callsOf(journal.state)
  if (handedOverMs === undefined || !call || !mayStart(call)) return
  const due = String(Math.ceil(journal.now() + handedOverMs)).padStart(16, '0')
  const id = `${prefixOf(settings)}${due}/${newId()}`
  const value = journal.state.threadId
  await store.writeRecords([{ op: 'put', kind: GATE_HANDED_OVER, id, value, ttlMs: handedOverMs + KEPT_MS }])
}

/** An edit is checked when the call is handed over. */
function mayStart({ phase }: Call): boolean {
  if (phase.at !== 'answered') return phase.at === 'released'
  return phase.answer.kind === 'decision' && editOf(phase.answer.decision) !== undefined
}

/** Asks people about calls that were handed over too long ago, the oldest first. Resolves to how many. */
export async function sweepOverdue(settings: GateSettings): Promise<number> {
  if (settings.handedOverMs === undefined) return 0
  const { store } = settings
  let asked = 0
  const page = await store.findRecords({ kind: GATE_HANDED_OVER, prefix: prefixOf(settings), limit: MOST })
  for (const record of page.records) {
    const found = await askAbout(settings, record)
    if (found === 'not due') break
    if (found === 'asked') asked += 1
    await store.writeRecords([{ op: 'delete', kind: GATE_HANDED_OVER, id: record.id }])
  }
  return asked
}

/** Sweeps now and then. A failure does not fail what it was called for. */
export function sweeping(settings: GateSettings): () => Promise<void> {
  let last = Number.NEGATIVE_INFINITY
  return async () => {
    if (settings.handedOverMs === undefined || performance.now() - last < EVERY_MS) return
    last = performance.now()
    await sweepOverdue(settings).catch((error: unknown) => {
      warn('gate_sweep_failed', `Calls that were handed over could not be asked about: ${messageOf(error)}`)
    })
  }
}

const EVERY_MS = 10_000

async function askAbout(settings: GateSettings, { value, at }: StoredRecord): Promise<'asked' | 'over' | 'not due'> {
  const thread = await underWay(settings, value)
  if (!thread) return 'over'
  const { journal } = thread
  const [call] = callsOf(journal.state)
  const { handedOverMs = Number.POSITIVE_INFINITY } = settings
  // It may be about to be handed over.
  const since = call?.handedOver?.at ?? at
  if (since + handedOverMs > journal.now()) return 'not due'
  if (call?.phase.at !== 'started') return 'over'
  await thread.look()
  return 'asked'
}

async function underWay(settings: GateSettings, threadId: string): Promise<CallThread | undefined> {
  try {
    return await CallThread.find(settings, threadId)
  } catch (error) {
    if (isThreadErased(error)) return undefined
    throw error
  }
}

function prefixOf({ source }: GateSettings): string {
  return `${sha256(source)}/`
}
