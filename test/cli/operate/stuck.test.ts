import { describe, expect, it } from 'vitest'
import { run } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { enqueueRun } from '../../../src/worker/enqueue-run.ts'
import { aliveRecord, usedRecord } from '../../../src/worker/shared/live-workers.ts'
import { routeOf } from '../../../src/worker/shared/routes.ts'
import { putDeadLetter } from '../../../src/worker/shared/stuck.ts'
import { payer } from '../../worker/scene.ts'
import { startGateway } from '../support/gateways.ts'
import { type Finished, holdpoint, tempDir } from '../support/programs.ts'
import { storePath } from '../support/store.ts'

/** A person at a store or at a gateway. */
type Sit = (dir: string) => Promise<(...args: string[]) => Finished>

const atStore: Sit =
  async (dir) =>
  (...args) =>
    holdpoint(dir, args, { HOLDPOINT_USER: 'olga' })
const atGateway: Sit = async (dir) => {
  const gateway = await startGateway(dir)
  return (...args) => holdpoint(tempDir(), args, gateway.env('olga', 'operator'))
}

/** A thread that no worker has taken up, and one that was given up after its last try. */
async function seedStuck(dir: string): Promise<void> {
  const store = sqliteStore({ path: storePath(dir) })
  for (const threadId of ['waits', 'failed'])
    await enqueueRun(store, { agent: { id: 'payer', version: '1' }, threadId, input: 'pay' })
  const { version } = await store.read('failed')
  const letter = { tries: 9, agent: 'payer', version: '1', length: version }
  await store.writeRecords([
    putDeadLetter('failed', { ...letter, error: { code: 'model_failed', message: 'the model is away' } }),
  ])
  await store.append({ threadId: 'failed', version, entries: [], wake: { op: 'set', at: null } })
  await store.writeRecords([aliveRecord({ id: 'w', routes: [routeOf('payer', '2')], since: 0 })])
  await store.close()
}

describe.each([
  ['a store', atStore],
  ['a gateway', atGateway],
])('stuck threads at %s', (_place, sit) => {
  it('are listed with the reason, tried again, moved to another version, and ended', async () => {
    const dir = tempDir()
    await seedStuck(dir)
    const run = await sit(dir)
    const listed = run('threads', '--stuck')
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(listed.stdout).toMatch(
      /^failed {2}failed .*\n {4}agent payer, version 1, 9 tries: the model is away\n {4}live workers have version 2$/m,
    )
    expect(listed.stdout).toMatch(
      /^waits {3}no worker .*\n {4}no live worker has agent payer, version 1\n {4}live workers have version 2$/m,
    )

    expect(run('retry', 'failed').stdout).toBe(
      'No live worker has agent payer, version 1: failed waits for one.\n' +
        'Start one, or move the run: holdpoint retry failed --to VERSION --reason TEXT\n',
    )
    const { threads } = JSON.parse(run('threads', '--stuck', '--json').stdout)
    expect(threads).toMatchObject([{ stuck: { reason: 'no_worker' } }, { stuck: { reason: 'no_worker' } }])
    expect(run('retry', 'none')).toMatchObject({ code: 1, stdout: '' })

    expect(run('retry', 'waits', '--to', '2')).toMatchObject({ code: 2, stdout: '' })
    const refused = run('retry', 'waits', '--to', '3', '--reason', 'gone')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('No live worker has version "3" of agent "payer"')
    const moved = run('retry', 'waits', '--to', '2', '--reason', 'gone', '--json')
    expect(JSON.parse(moved.stdout)).toEqual({ id: 'waits', retried: true })
    expect(run('retry', 'waits', '--to', '2', '--reason', 'gone').stdout).toBe('waits is on version 2 already.\n')
    const { entries } = JSON.parse(run('journal', 'waits', '--json').stdout)
    expect(entries.at(-1).entry).toMatchObject({ type: 'run.moved', by: { id: 'olga' }, reason: 'gone' })
    expect(JSON.parse(run('threads', '--stuck', '--json').stdout).threads).toMatchObject([{ id: 'failed' }])

    expect(run('abort', 'failed')).toMatchObject({ code: 2, stdout: '' })
    expect(run('abort', 'none', '--reason', 'gone')).toMatchObject({ code: 1, stdout: '' })
    expect(run('abort', 'failed', '--reason', 'gone').stdout).toBe('The run of failed is over.\n')
    expect(JSON.parse(run('abort', 'failed', '--reason', 'gone', '--json').stdout)).toEqual({
      id: 'failed',
      aborted: false,
    })
    const aborted = JSON.parse(run('journal', 'failed', '--json').stdout).entries.at(-1).entry
    expect(aborted).toMatchObject({ type: 'run.settled', status: 'aborted', by: { id: 'olga' }, reason: 'gone' })
    expect(JSON.parse(run('threads', '--stuck', '--json').stdout).threads).toEqual([])
  })
})

describe.each([
  ['a store', atStore],
  ['a gateway', atGateway],
])('a request that is shown at %s', (_place, sit) => {
  it('says before a decision that no live worker has the version that goes on', async () => {
    const dir = tempDir()
    const store = sqliteStore({ path: storePath(dir) })
    const { state } = await run(payer({ version: '1' }), 'pay', { store, threadId: 't' })
    const { id } = state.interruptions[0]!
    const shown = (await sit(dir))('show', id)
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).not.toContain('no live worker')
    await store.writeRecords([usedRecord, aliveRecord({ id: 'w', routes: [routeOf('payer', '2')], since: 0 })])
    const at = await sit(dir)
    expect(at('show', id).stdout).toMatch(/goes on +Not right away: no live worker has agent payer, version 1\./)
    expect(JSON.parse(at('show', id, '--json').stdout).resumable).toEqual({ live: false, agent: 'payer', version: '1' })
    await store.writeRecords([aliveRecord({ id: 'w', routes: [routeOf('payer', '1')], since: 0 })])
    expect(at('show', id).stdout).not.toContain('no live worker')
    await store.close()
  })
})

it('moving a run needs a reason, and a reason needs a move', () => {
  const dir = tempDir()
  for (const options of [
    ['--reason', 'y'],
    ['--to', '2'],
    ['--to', '2', '--to-none', '--reason', 'y'],
  ])
    expect(holdpoint(dir, ['retry', 'x', ...options])).toMatchObject({ code: 2, stdout: '' })
})
