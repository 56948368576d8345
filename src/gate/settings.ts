import type { BoundPolicy } from '../policy/compose.ts'
import type { Policy } from '../policy/policy.ts'
import type { Store } from '../ports/store.ts'
import { requireStore } from '../protocol/checks/check-options.ts'
import { isDuration } from '../protocol/checks/durations.ts'
import { requireKnown } from '../protocol/checks/known-options.ts'
import { InputInvalid } from '../protocol/errors/errors.ts'
import { parseTenantId } from '../protocol/ids.ts'
import { isWellFormed } from '../protocol/json/json.ts'
import { type IdSource, uuidSource } from '../protocol/uuid.ts'
import { bindTo } from '../runtime/agent/bind-policies.ts'
import type { UnknownOutcomePolicy } from '../runtime/definition/tool/approval.ts'
import type { GateOptions } from './types.ts'

/** The checked options of a gate. */
export interface GateSettings {
  /** Of the gate's tenant. */
  readonly store: Store
  readonly policies: readonly BoundPolicy[]
  readonly source: string
  readonly agent: string
  readonly holdSeconds: number
  readonly attachMs: number
  readonly onUnknownOutcome: UnknownOutcomePolicy
  /** When people are asked about calls that were handed over. `undefined`: never. */
  readonly handedOverMs: number | undefined
  readonly newId: IdSource
}

const WHAT = 'createGate()'
const KNOWN: readonly (keyof GateOptions)[] = [
  'store',
  'policy',
  'source',
  'tenant',
  'agent',
  'holdSeconds',
  'onUnknownOutcome',
  'onHandedOver',
  'attachSeconds',
]
const OUTCOMES = ['ask', 'retry', 'fail']
const LONGEST_NAME = 200

/** Checks the options of a gate. Throws `InputInvalid`, `PolicyInvalid` or `TenantIdInvalid`. */
export function gateSettings(options: GateOptions): GateSettings {
  requireKnown(WHAT, options ?? {}, KNOWN)
  const { store, policy, source, tenant, agent = source, onUnknownOutcome = 'ask' } = options ?? {}
  requireStore(WHAT, store)
  for (const [name, value] of Object.entries({ source, agent })) {
    if (!isName(value))
      throw new InputInvalid(`${name} of ${WHAT} must be a string of 1 to ${LONGEST_NAME} characters.`)
  }
  const { holdSeconds = 45, attachSeconds = 900 } = options
  for (const [name, value] of Object.entries({ holdSeconds, attachSeconds })) {
    if (!isDuration(value)) throw new InputInvalid(`${name} of ${WHAT} must be a number of seconds.`)
  }
  if (!OUTCOMES.includes(onUnknownOutcome))
    throw new InputInvalid(`onUnknownOutcome of ${WHAT} must be 'ask', 'retry' or 'fail'.`)
  return {
    store: tenant === undefined ? store : store.tenant(parseTenantId(tenant)),
    policies: bindTo(ANY_TOOL, policiesOf(policy)),
    source,
    agent,
    holdSeconds,
    attachMs: attachSeconds * 1000,
    onUnknownOutcome,
    handedOverMs: handedOverMs(options.onHandedOver),
    newId: uuidSource(),
  }
}

/** After how long people are asked about calls that were handed over. `undefined`: never. Throws `InputInvalid`. */
export function handedOverMs(given: GateOptions['onHandedOver'] = 'record'): number | undefined {
  if (given === 'record') return undefined
  const what = `onHandedOver of ${WHAT}`
  if (typeof given !== 'object' || given === null)
    throw new InputInvalid(`${what} must be 'record' or { askAfterSeconds }.`)
  requireKnown(what, given, ['askAfterSeconds'])
  if (!isDuration(given.askAfterSeconds))
    throw new InputInvalid(`askAfterSeconds of ${what} must be a number of seconds.`)
  return given.askAfterSeconds * 1000
}

/** A gate learns of tools by their calls, so its rules may name any. */
const ANY_TOOL = [{ name: '*', prefix: '' }]

function policiesOf(policy: GateOptions['policy']): readonly Policy[] {
  const policies = Array.isArray(policy) ? (policy as readonly Policy[]) : [policy as Policy]
  // Without one, every call would be free.
  if (policies.length === 0) throw new InputInvalid(`${WHAT} needs a policy.`)
  return policies
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_NAME && isWellFormed(value)
}
