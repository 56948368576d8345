import { handedOverMs } from '../../gate/settings.ts'
import type { GateOptions } from '../../gate.ts'
import type { Policy } from '../../index.ts'
import { messageOf } from '../../protocol/errors/errors.ts'
import type { Call } from '../command-line/command.ts'
import { CliError } from '../command-line/errors.ts'
import { loadPolicies } from '../command-line/load-policies.ts'

/** What the module of a gate's policy exports: policies as its default, and `onHandedOver` if people are to be asked about calls without an end. */
export interface GatePolicy {
  readonly policies: readonly Policy[]
  readonly onHandedOver: GateOptions['onHandedOver'] & {}
}

/** Loads the policy of a gate. Throws `CliError` with the code `policy_unreadable`. */
export async function loadGatePolicy(call: Call, file: string): Promise<GatePolicy> {
  const { policies, onHandedOver = 'record' } = await loadPolicies(call, file)
  try {
    handedOverMs(onHandedOver as GatePolicy['onHandedOver'])
  } catch (error) {
    throw new CliError('policy_unreadable', `${file} cannot be used: ${messageOf(error)}`)
  }
  return { policies, onHandedOver: onHandedOver as GatePolicy['onHandedOver'] }
}
