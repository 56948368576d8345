import { built } from './built.js'

/**
 * Opens the store that an address stands for, by the built package: a file, or `postgres://…#schema`.
 * @param {string} address
 * @param {{ durability?: string, busyTimeoutMs?: number, thread?: boolean, crashPoint?: (name: string) => void }} [options]
 */
export async function open(address, options = {}) {
  if (address.startsWith('postgres:')) {
    const { postgresStore } = await built('postgres.js')
    const [connectionString, schema] = address.split('#')
    // Servers of tests do not sync, and say so.
    return postgresStore({ connectionString, schema, crashPoint: options.crashPoint, onWarning: () => undefined })
  }
  const { sqliteStore } = await built('sqlite.js')
  return sqliteStore({ path: address, ...options })
}
