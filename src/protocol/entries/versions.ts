import { JournalInvalid, StoreCorrupt } from '../errors/errors.ts'
import type { Entry } from './entry.ts'

/**
 * The newest version of each entry's shape. A shape that changes gets a higher version and an upgrade from the one
 * before.
 */
const CURRENT: Record<Entry['type'], number> = {
  'run.opened': 1,
  'input.added': 1,
  'input.cleared': 1,
  'context.replaced': 1,
  'run.moved': 1,
  'model.answered': 1,
  'model.discarded': 1,
  'tool.defined': 1,
  'call.judged': 1,
  'request.opened': 1,
  'request.decided': 1,
  'request.answered': 1,
  'request.reopened': 1,
  'request.closed': 1,
  'request.escalated': 1,
  'request.commented': 1,
  'request.assigned': 1,
  'grant.created': 1,
  'grant.revoked': 1,
  'call.released': 1,
  'call.started': 1,
  'step.started': 1,
  'step.finished': 1,
  'call.finished': 1,
  'call.refused': 1,
  'gate.passed': 1,
  'agent.changed': 1,
  'run.settled': 1,
  'session.written': 1,
  'session.added': 1,
  'session.popped': 1,
  'session.cleared': 1,
  erased: 1,
  'thread.erased': 1,
}

/** The place of a body, for error messages. */
export interface BodyPlace {
  threadId: string
  seq: number
}

/** Parses a stored body. It must be JSON with a known type and a supported version; nothing is skipped silently. */
export function parseBody(body: string, place: BodyPlace): Entry {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (cause) {
    throw new StoreCorrupt(place, 'its body is not JSON', cause)
  }
  return checkEnvelope(value, place)
}

/** Checks the type and version of a parsed body. */
export function checkEnvelope(value: unknown, place: BodyPlace): Entry {
  const { type, v } = (value ?? {}) as { type?: unknown; v?: unknown }
  if (typeof type !== 'string' || !Object.hasOwn(CURRENT, type)) {
    throw new JournalInvalid({ ...place, problem: `its type ${JSON.stringify(type)} is not known to this version` })
  }
  const current = CURRENT[type as Entry['type']]
  if (v !== current) {
    throw new JournalInvalid({
      ...place,
      problem: `${type} has version ${JSON.stringify(v)}; this release reads up to ${current}`,
    })
  }
  return value as Entry
}
