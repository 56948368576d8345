import assert from 'node:assert/strict'
import { isPending, noTenantIds, soon } from '../store-suite/tools.ts'
import type { StreamsCase } from './streams-case.ts'
import { allIds, assertGone, onStreams, question } from './tools.ts'

/** Tenants, and names that could collide. */
export const tenantCases: readonly StreamsCase[] = [
  {
    name: 'sessions of the same id are separate in each tenant',
    guarantee: 'T6',
    run: (harness) =>
      onStreams(harness, async (streams) => {
        const other = streams.tenant('other')
        assert.equal(streams.tenantId, 'default')
        assert.equal(other.tenantId, 'other')
        await streams.open('s', { owner: 'ann', expireSeconds: 60 })
        await assertGone(other, 's')
        await assert.doesNotReject(other.open('s', { owner: 'bob', expireSeconds: 600 }))
        assert.equal((await streams.describe('s'))?.owner, 'ann')
        assert.equal((await other.describe('s'))?.owner, 'bob')
        await streams.send('s', question('q'))
        assert.deepEqual(await allIds(other), [])
        assert.deepEqual(await other.pending('s'), { kind: 'empty' })
        assert.deepEqual(await other.question('s', 'q'), { kind: 'unknown' })
        assert.equal(await other.answer('s', 'q', 'mine'), 'unknown')
        assert.equal(await other.retract('s', 'q'), false)
        assert.equal(await streams.answer('s', 'q', 'yes'), 'answered')
        assert.deepEqual(await other.takeReply('s', 'q', { waitMs: 0 }), { kind: 'empty' })
        assert.equal(await other.close('s'), true)
        const read = await streams.tenant('default').takeReply('s', 'q', { waitMs: 0 })
        assert.deepEqual(read, { kind: 'reply', reply: 'yes' })
      }),
  },
  {
    name: 'a waiter is not woken by a session of the same id in another tenant',
    guarantee: 'T6',
    run: (harness) =>
      onStreams(harness, async (streams) => {
        const other = streams.tenant('other')
        for (const each of [streams, other]) {
          await assert.doesNotReject(each.open('s', { owner: 'ann', expireSeconds: 60 }))
        }
        const reading = streams.read('s', { after: '0', waitMs: 10_000 })
        await other.send('s', question('q'))
        await other.close('s')
        assert.equal(await isPending(reading), true)
        await streams.send('s', question('mine'))
        assert.equal((await soon(reading)).kind, 'messages')
      }),
  },
  {
    name: 'names that are equal when joined are kept apart',
    guarantee: 'T6',
    run: (harness) =>
      onStreams(harness, async (streams) => {
        const pairs = [
          ...[
            ['a', 'b:c'],
            ['a:b', 'c'],
            ['a', 'b'],
            ['a}', 'b'],
            ['a', '}b'],
            ['{a', 'b'],
            ['}', '{'],
            ['%7D', '%7B'],
          ],
          ...[
            ['a', ' b'],
            ['a ', 'b'],
            ['A', 'B'],
            ['ü', '*'],
            ['u\u0308', '?'],
            ['a/b', 'c'],
            ['a', 'b/c'],
            ['a', '\u0000'],
          ],
        ] as [string, string][]
        for (const [n, [tenant, session]] of pairs.entries()) {
          await assert.doesNotReject(streams.tenant(tenant).open(session, { owner: `${n}`, expireSeconds: 60 }))
        }
        for (const [n, [tenant, session]] of pairs.entries()) {
          assert.equal((await streams.tenant(tenant).describe(session))?.owner, `${n}`)
        }
        const [tenant, session] = pairs[0]!
        await streams.tenant(tenant).close(session)
        for (const [n, [tenant, session]] of pairs.entries()) {
          if (n > 0) assert.equal((await streams.tenant(tenant).describe(session))?.owner, `${n}`)
        }
      }),
  },
  {
    name: 'an invalid tenant id is refused, and nothing is stored under it',
    guarantee: 'T6',
    run: (harness) =>
      onStreams(harness, async (streams) => {
        for (const id of noTenantIds) {
          assert.throws(() => streams.tenant(id as string), { code: 'tenant_id_invalid' }, JSON.stringify(id))
        }
        assert.equal(streams.tenant('x'.repeat(200)).tenantId, 'x'.repeat(200))
      }),
  },
]
