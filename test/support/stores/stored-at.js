import { postgresStore } from 'holdpoint/postgres'
import { sqliteStore } from 'holdpoint/sqlite'

/**
 * Opens the store that an address stands for: a file, or `postgres://…#schema`. From the built package, as a user's program would.
 *
 * @param {string} address
 * @param {{ durability?: 'power' | 'process', busyTimeoutMs?: number, timeoutMs?: number, clock?: { now(): number }, crashPoint?: (name: string) => void }} [options]
 * @returns {import('holdpoint').Store}
 */
export function storeAt(address, options = {}) {
  const { timeoutMs, ...forFile } = options
  if (!address.startsWith('postgres:')) return sqliteStore({ path: address, ...forFile })
  const [connectionString = '', schema = ''] = address.split('#')
  const { crashPoint, clock } = options
  // Servers of tests do not sync, and say so.
  const more = { ...(crashPoint && { crashPoint }), ...(clock && { clock }), ...(timeoutMs && { timeoutMs }) }
  return postgresStore({ connectionString, schema, onWarning: () => undefined, ...more })
}
