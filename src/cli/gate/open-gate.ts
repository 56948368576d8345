import { readFileSync } from 'node:fs'
import type { Call, Option } from '../command-line/command.ts'
import { UsageError } from '../command-line/errors.ts'
import { requireFile } from '../command-line/files.ts'
import { storePlace } from '../store/store-place.ts'
import type { StoreGatePlace } from './gate-at-store.ts'
import type { HookGate, HostName } from './hook.ts'

/** Options that say where the gate is and who may decide. */
export const gatePlaceOptions = {
  gateway: {
    value: 'URL',
    help: 'the gateway that judges and holds calls, by its own policy (default: HOLDPOINT_URL)',
  },
  'token-file': {
    value: 'FILE',
    help: 'a file with a token of the role agent for it, which can open requests and decide none (default: HOLDPOINT_TOKEN)',
  },
  policy: { value: 'FILE', help: 'at a store: a module whose default export is a policy, or an array of them' },
  via: {
    value: 'DOOR',
    multiple: true,
    help: 'at a store: the doors through which people decide, unless the policy names some; any: all (default: inbox)',
  },
} satisfies Record<string, Option>

/** Where the gate is. */
export type GatePlace = { readonly at: 'gateway'; readonly url: string; readonly token: string } | StoreGatePlace

/** The gate that the options and the environment name. Throws `UsageError`. */
export function gatePlace(call: Call): GatePlace {
  const { settings } = call.context
  const url = call.text('gateway') ?? (call.text('store') === undefined ? settings.url : undefined)
  const policy = call.text('policy')
  if (url === undefined) {
    if (policy === undefined)
      throw new UsageError('say who judges calls: --gateway URL, or --policy FILE with a store (--store PLACE)')
    return { at: 'store', store: storePlace(call), policy, via: doorsOf(call.texts('via')) }
  }
  const stray = ['store', 'policy'].find((name) => call.text(name) !== undefined)
  if (stray !== undefined || call.texts('via').length > 0)
    throw new UsageError(`--${stray ?? 'via'} is for a store; a gateway judges by its own policy`)
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError('--gateway must be an address, such as https://approvals.example.com')
  const file = call.text('token-file')
  const token =
    file === undefined ? settings.token : readFileSync(requireFile(call, file, 'token_unreadable'), 'utf8').trim()
  if (token === undefined || token === '')
    throw new UsageError('a gateway needs a token of the role agent: --token-file FILE, or HOLDPOINT_TOKEN')
  return { at: 'gateway', url, token }
}

/** Opens the gate for the time of `work`. Loads what this place needs, and nothing else: hooks are started often. */
export async function withGate<T>(
  call: Call,
  { place, host }: { place: GatePlace; host: HostName },
  work: (gate: HookGate) => Promise<T>,
): Promise<T> {
  if (place.at === 'store') return (await import('./gate-at-store.ts')).withGateAtStore(call, { place, host }, work)
  const { gatewayGate } = await import('./gateway-gate.ts')
  return work(gatewayGate({ ...place, source: host }))
}

function doorsOf(given: readonly string[]): readonly string[] | undefined {
  const doors = given.flatMap((each) => each.split(',')).filter((door) => door !== '')
  if (doors.includes('any')) return undefined
  return doors.length > 0 ? doors : ['inbox']
}
