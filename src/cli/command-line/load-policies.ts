import type { Policy } from '../../index.ts'
import type { Call } from './command.ts'
import { CliError } from './errors.ts'
import { loadModule } from './load-module.ts'

const CODE = 'policy_unreadable'

/** What a module of policies exports. Only the policies are checked. */
interface PolicyModule {
  readonly policies: readonly Policy[]
  readonly tools: unknown
  readonly onHandedOver: unknown
}

/** Loads the policies that a module exports as its default, and whatever it exports as `tools` and `onHandedOver`. */
export async function loadPolicies(call: Call, file: string): Promise<PolicyModule> {
  const loaded = await loadModule<PolicyModule & { default: unknown }>(call, file, CODE)
  const policies: unknown[] = Array.isArray(loaded.default) ? loaded.default : [loaded.default]
  if (policies.length === 0 || policies.some((one) => typeof (one as Partial<Policy> | null)?.bind !== 'function')) {
    throw new CliError(
      CODE,
      `${file} must export a policy, or an array of policies, as its default: what humanInTheLoop() or definePolicy() return.`,
    )
  }
  return { policies: policies as Policy[], tools: loaded.tools, onHandedOver: loaded.onHandedOver }
}
