import { enqueueRun } from 'holdpoint/worker'
import { expect, it } from 'vitest'
import { readLines } from '../crash/support/children.ts'
import { soak } from '../support/soak.ts'
import { until } from '../support/until.ts'
import { ended, finish, isFrozen, LEASE_MS, machines } from './processes.ts'
import { asked } from './scene.ts'

it('a decision is resumed although its decider was killed right after the commit', async () => {
  const place = machines()
  await place.start()
  await enqueueRun(place.store, { agent: 'cashier', threadId: 't', input: 'pay' })
  await place.decideAndDie(await asked(place.store, 't'))
  await finish(place, 't')
  expect(place.payments()).toHaveLength(1)
})

it('a worker that is killed at any point loses nothing, and each tool runs once', async () => {
  const scout = machines()
  const tell = scout.file('points')
  const teller = await scout.start({ tell })
  await enqueueRun(scout.store, { agent: 'cashier', threadId: 't', input: 'pay' })
  await finish(scout, 't')
  teller.kill('SIGTERM')
  expect(await ended(teller)).toBeNull()
  const points = [...new Set(readLines<string>(tell))]
  expect(points.length).toBeGreaterThan(8)

  const place = machines()
  const chosen = soak.sample(points, { part: 1, of: 6 })
  for (const [index, killAt] of chosen.entries()) {
    const threadId = `t${index}`
    const victim = await place.start({ killAt })
    await enqueueRun(place.store, { agent: 'cashier', threadId, input: 'pay' })
    const isKilled = ended(victim)
    const request = await Promise.race([asked(place.store, threadId), isKilled])
    if (typeof request === 'string' && !victim.signalCode) await place.decideAndDie(request)
    expect(await isKilled, killAt).toBe('SIGKILL')
  }
  await place.start()
  await place.start()
  for (const index of chosen.keys()) await finish(place, `t${index}`)
  expect(
    place
      .payments()
      .map(({ threadId }) => threadId)
      .sort(),
  ).toEqual(chosen.map((_, i) => `t${i}`).sort())
})

it('a worker that was frozen for longer than its lease can neither write nor start a body', async () => {
  const place = machines()
  const frozen = await place.start({ freezeAt: 'after:call.started#1' })
  await enqueueRun(place.store, { agent: 'cashier', threadId: 't', input: 'pay' })
  await place.decideAndDie(await asked(place.store, 't'))
  await until(() => isFrozen(frozen))
  const other = await place.start()
  await finish(place, 't')
  const { version } = await place.store.read('t')
  frozen.kill('SIGCONT')
  // Once it takes up another thread, it is over what it was frozen in.
  other.kill('SIGTERM')
  await ended(other)
  await enqueueRun(place.store, { agent: 'cashier', threadId: 'u', input: 'pay' })
  await finish(place, 'u')
  expect(
    place
      .payments()
      .filter(({ threadId }) => threadId === 't')
      .map(({ pid }) => pid),
  ).toEqual([other.pid])
  expect((await place.store.read('t')).version).toBe(version)
  expect(LEASE_MS).toBeLessThan(1000)
})
