import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type GatePolicy, loadGatePolicy } from '../../../src/cli/gate/gate-policy.ts'
import { serveGates } from '../../../src/cli/gate/serve-gates.ts'
import { storeGate } from '../../../src/cli/gate/store-gate.ts'
import { type HitlRequest, humanInTheLoop, memoryStore, openDesk, type Store } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { until } from '../../support/until.ts'
import { tempDir } from '../support/programs.ts'

const call = { threadId: 's1', toolName: 'Bash', args: { command: 'npm publish' } }
const other = { ...call, toolName: 'Read', args: {} }
const ann = { kind: 'person', id: 'ann', via: 'inbox' } as const
const policies = [humanInTheLoop({ interruptOn: { Bash: { via: ['inbox'] } } })]
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }

const asking: GatePolicy = { policies, onHandedOver: { askAfterSeconds: 60 } }
const silent: GatePolicy = { policies, onHandedOver: 'record' }

function gateAt(store: Store, policy: GatePolicy) {
  return storeGate({ store, ...policy, source: 'claude-code', principal: 'dev', via: ['inbox'] })
}

const openRequests = async (store: Store): Promise<HitlRequest[]> =>
  (await openDesk({ store }).list({ status: 'open' })).requests

/** A call that was approved and handed over, and an hour that has passed. */
async function handedOver(policy: GatePolicy) {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  onTestFinished(() => store.close())
  const gate = gateAt(store, policy)
  await gate.judge(call)
  const [request] = await openRequests(store)
  await openDesk({ store }).decide({ request: request!, decision: { type: 'approve' }, by: ann })
  expect(await gate.spend(call)).toMatchObject({ status: 'released' })
  clock.advance(3_600_000)
  return { store, clock }
}

describe('a call that was handed over and has no end', () => {
  test('is asked about by the next hook if the policy says so, through the doors of the call', async () => {
    const { store } = await handedOver(asking)
    await gateAt(store, asking).judge(other)
    const [question, ...more] = await openRequests(store)
    expect(more).toEqual([])
    expect(question).toMatchObject({ reason: 'unknown_outcome', toolName: 'Bash', via: ['inbox'] })
    const decision = { type: 'approve' } as const
    const refused = openDesk({ store }).decide({ request: question!, decision, by: { ...ann, via: 'cli' } })
    await expect(refused).rejects.toMatchObject({ code: 'reviewer_not_allowed' })
    // An end that is reported late still counts.
    await gateAt(store, asking).finished(call, { result: 'done' })
    expect(await openRequests(store)).toEqual([])
  })

  test('is asked about by a gateway, also if it was started after the agent had gone', async () => {
    const { store } = await handedOver(asking)
    const gates = serveGates(asking, { store, logger, everyMs: 5 })
    onTestFinished(() => gates.stop())
    await until(async () => (await openRequests(store)).length === 1)
    expect(await openRequests(store)).toMatchObject([{ reason: 'unknown_outcome', via: ['inbox'] }])
  })

  test('is asked about in the tenants and for the hosts that a gateway has heard from', async () => {
    const { store, clock } = await handedOver(asking)
    const gates = serveGates(asking, { store, logger, everyMs: 5 })
    onTestFinished(() => gates.stop())
    const gate = gates.gate({ tenant: 'acme', source: 'my-agent' })
    await gate.judge([other])
    await gate.spend(other)
    clock.advance(3_600_000)
    const acme = store.tenant('acme')
    await until(async () => (await openRequests(acme)).length === 1)
    expect(await openRequests(acme)).toMatchObject([{ reason: 'unknown_outcome', toolName: 'Read' }])
  })

  test('is asked about by nobody otherwise', async () => {
    const { store } = await handedOver(silent)
    await gateAt(store, silent).judge(other)
    const gates = serveGates(silent, { store, logger, everyMs: 5 })
    await gates.stop()
    expect(await openRequests(store)).toEqual([])
  })
})

test('a policy file says it with the export onHandedOver, and one that says it wrong is refused', async () => {
  const cwd = tempDir()
  const index = new URL('../../../dist/index.js', import.meta.url).href
  const load = (name: string, code: string) => {
    const policy = `import { humanInTheLoop } from ${JSON.stringify(index)}\nexport default humanInTheLoop({ interruptOn: {} })`
    writeFileSync(join(cwd, name), `${policy}\n${code}\n`)
    return loadGatePolicy({ context: { cwd } } as Parameters<typeof loadGatePolicy>[0], name)
  }
  expect(await load('a.mjs', '')).toMatchObject({ onHandedOver: 'record' })
  expect(await load('b.mjs', 'export const onHandedOver = { askAfterSeconds: 60 }')).toMatchObject({
    onHandedOver: { askAfterSeconds: 60 },
  })
  for (const [name, wrong] of Object.entries({ c: '{ after: 60 }', d: '60', e: '{ askAfterSeconds: -1 }', f: "'ask'" }))
    await expect(load(`${name}.mjs`, `export const onHandedOver = ${wrong}`)).rejects.toMatchObject({
      code: 'policy_unreadable',
    })
})
