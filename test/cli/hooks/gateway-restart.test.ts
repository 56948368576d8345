import { expect, onTestFinished, test } from 'vitest'
import { gatewayGate } from '../../../src/cli/gate/gateway-gate.ts'
import { createGate } from '../../../src/gate.ts'
import { createGateway, jwtAuth, serve } from '../../../src/gateway.ts'
import { humanInTheLoop, memoryStore, openDesk } from '../../../src/index.ts'
import { SECRET, tokenOf } from '../../support/gateway/served-gateway.ts'
import { until } from '../../support/until.ts'

const call = { threadId: 's1', toolName: 'Bash', args: { command: 'npm publish' } }

test('a hook that waits outlives a restart of its gateway, and hears the decision', async () => {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const policy = humanInTheLoop({ interruptOn: { Bash: true } })
  const auth = jwtAuth({ secret: SECRET, issuer: 'tests', audience: 'gateway' })
  const start = (port: number) =>
    serve(createGateway({ auth, store, gate: (host) => createGate({ store, policy, ...host }) }), {
      port,
      graceSeconds: 0.1,
    })
  const first = await start(0)
  const { url } = first
  const gate = gatewayGate({ url, token: await tokenOf('dev', { roles: ['agent'] }), source: 'codex' })
  expect(await gate.judge(call)).toMatchObject({ status: 'held' })
  const waiting = gate.wait(call, { timeoutSeconds: 120, signal: new AbortController().signal })
  await first.close()
  const desk = openDesk({ store })
  const [request] = (await desk.list({ status: 'open' })).requests
  await desk.decide({ request: request!, decision: { type: 'approve' }, by: 'ann' })
  const second = await start(Number(new URL(url).port))
  onTestFinished(() => second.close())
  expect(await waiting).toEqual({ status: 'released', args: call.args })
  // Another agent's token has calls of its own, and none of this one.
  const other = gatewayGate({ url, token: await tokenOf('eve', { roles: ['agent'] }), source: 'codex' })
  expect(await other.spend(call)).toMatchObject({ status: 'refused' })
  expect(await gate.spend(call)).toMatchObject({ status: 'released' })
  expect(await gate.spend(call)).toMatchObject({ status: 'unknown' })
  await gate.finished(call, { result: 'done' })
  await until(async () => (await gate.spend(call)).status === 'finished')
  await expect(other.finished(call, { result: 'done' })).rejects.toThrow('409')
})
