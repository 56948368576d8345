import pg from 'pg'
import { expect, it } from 'vitest'
import { askForRefund } from '../support/agents/asking.ts'
import { follow } from '../support/gateway/follow-events.ts'
import { gatewayProcess } from '../support/gateway/gateway-process.ts'
import { freshSchema, usePostgres } from '../support/servers/use-postgres.ts'
import { soak } from '../support/soak.ts'
import { storeAt } from '../support/stores/stored-at.js'
import { until } from '../support/until.ts'

const server = usePostgres()
const WRITERS = 6
const EACH = soak.times(8, 60)

/** Lets each transaction that writes a request stay open for a random time, so that they commit in another order than they began. */
async function delayCommits(schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.get().connectionString })
  await client.connect()
  await client.query(`
    CREATE FUNCTION ${schema}.linger() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_sleep(random() * 0.08); RETURN NULL; END $$;
    CREATE TRIGGER linger AFTER INSERT ON ${schema}.requests FOR EACH ROW EXECUTE FUNCTION ${schema}.linger()`)
  await client.end()
}

it('no live event is missed while transactions overlap and gateways are killed and frozen, and none is of another tenant', async () => {
  const schema = freshSchema()
  const address = `${server.get().connectionString}#${schema}`
  const store = storeAt(address)
  await store.read('none')
  await delayCommits(schema)
  const gateways = [await gatewayProcess(address), await gatewayProcess(address), await gatewayProcess(address)]
  let home = 0
  const clients = [0, 1, 2].map((nth) =>
    follow(() => gateways[Math.max(home, nth % 2)]!.url, `p${nth}:${nth === 0 ? 'operator' : 'reviewer'}`),
  )
  const foreign = follow(() => gateways[home]!.url, 'eve:admin:elsewhere')
  await until(() => [...clients, foreign].every(({ seen }) => seen.ready))
  const own: string[] = []
  const theirs: string[] = []
  const write = async (nth: number): Promise<void> => {
    for (let i = 0; i < EACH; i++)
      if (nth === 0) theirs.push((await askForRefund(store.tenant('elsewhere'))).id)
      else own.push((await askForRefund(store)).id)
  }
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, nth) => write(nth)))
  await until(() => own.length >= WRITERS)
  home = 2
  await gateways[0]!.kill()
  await until(() => own.length >= 2 * WRITERS)
  // A frozen one keeps its connections. Its clients are told what they missed when it goes on, or leave.
  gateways[1]!.child.kill('SIGSTOP')
  await writing
  gateways[1]!.child.kill('SIGCONT')
  await until(() => clients.every(({ seen }) => new Set(seen.ids).size >= own.length)).catch(() => undefined)
  for (const { seen } of clients) expect([new Set(seen.ids), seen.resets]).toEqual([new Set(own), 0])
  await until(() => new Set(foreign.seen.ids).size === theirs.length).catch(() => undefined)
  expect(new Set(foreign.seen.ids)).toEqual(new Set(theirs))
  for (const { stop } of [...clients, foreign]) stop()
  for (const gateway of gateways) await gateway.kill()
  await store.close()
})
