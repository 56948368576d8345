import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.js'
import { openDesk, run } from '../../../src/index.ts'
import { only } from '../../support/agents/results.ts'
import { inFolder, usePlaces } from '../../support/stores/places.ts'
import { storeAt } from '../../support/stores/stored-at.js'
import { payer } from '../payer.ts'

const PROCESSES = 4
const THREADS = 6

test.each(usePlaces())(
  'G2: of many processes that reach for the same grant at once, on %s, no more run than it covers, and the rest are asked',
  async (_name, place) => {
    await inFolder('grants', async (folder) => {
      const path = place(folder)
      const store = storeAt(path, { durability: 'process' })
      const { agent } = payer([{}])
      const given = await run(agent, 'go', { store, threadId: 'given' })
      const always = { scope: 'agent', uses: 7, cap: { field: 'amount', max: 17 } } as const
      await given.state.approve(only(given), { always })
      const startAt = Date.now() + 1_500
      const ends = await Promise.all(
        Array.from({ length: PROCESSES }, (_, n) => spender({ path, name: `p${n}`, threads: THREADS, startAt })),
      )
      const [grant] = (await openDesk({ store }).grants({ status: 'all' })).grants
      await store.close()
      const statuses = ends.flatMap((end) => end.statuses)
      // Five times 3 fit into 17.
      expect(ends.flatMap((end) => end.paid)).toEqual([3, 3, 3, 3, 3])
      expect(statuses.filter((status) => status === 'completed')).toHaveLength(5)
      expect(statuses.filter((status) => status === 'interrupted')).toHaveLength(PROCESSES * THREADS - 5)
      expect(grant).toMatchObject({ used: 5, spent: 15, status: 'active' })
    })
  },
)

async function spender(work: object): Promise<{ statuses: string[]; paid: number[] }> {
  const program = join(ROOT, 'test/policy/grants/spender.js')
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(work)])
  return JSON.parse(stdout) as { statuses: string[]; paid: number[] }
}
