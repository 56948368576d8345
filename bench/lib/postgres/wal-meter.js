// @ts-check
import { pg } from './postgres-driver.js'

/**
 * How much write-ahead log a server has written. With `checkpoint` it begins with one, after which the first change of each page logs the whole page.
 *
 * @param {string} url @param {boolean} [checkpoint]
 */
export async function createWalMeter(url, checkpoint = false) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    async begin() {
      if (checkpoint) await client.query('CHECKPOINT')
      return this.read()
    },
    /** In bytes since the server was made. */
    async read() {
      const { rows } = await client.query("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes")
      return Number(rows[0].bytes)
    },
    close: () => client.end(),
  }
}
