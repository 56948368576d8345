// @ts-check
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * The build that is measured: this repository's, or, to compare two, the folder that HOLDPOINT_DIST names.
 *
 * @returns {Promise<typeof import('../../../dist/index.js') & Pick<typeof import('../../../dist/sqlite.js'), 'sqliteStore'> & Pick<typeof import('../../../dist/postgres.js'), 'postgresStore'>>}
 */
export async function loadHoldpoint() {
  const [main, sqlite, postgres] = await Promise.all(['index.js', 'sqlite.js', 'postgres.js'].map(load))
  return { ...main, ...sqlite, ...postgres }
}

/**
 * The same build's gateway, and streams on Redis.
 *
 * @returns {Promise<typeof import('../../../dist/gateway.js') & Pick<typeof import('../../../dist/redis.js'), 'redisStreams'>>}
 */
export async function loadGateway() {
  const [gateway, redis] = await Promise.all(['gateway.js', 'redis.js'].map(load))
  return { ...gateway, ...redis }
}

/** The hash chain of the same build. @returns {Promise<typeof import('../../../dist/internals/index.js')>} */
export function loadChain() {
  return load('internals/index.js')
}

/** Message streams on Redis, of the same build. @returns {Promise<typeof import('../../../dist/redis.js')>} */
export function loadRedisStreams() {
  return load('redis.js')
}

/** Scripted models, of the same build. @returns {Promise<typeof import('../../../dist/testing.js')>} */
export function loadTesting() {
  return load('testing.js')
}

/** Queues and workers, of the same build. @returns {Promise<typeof import('../../../dist/worker.js')>} */
export function loadWorker() {
  return load('worker.js')
}

/** The folder of the build that is measured. */
export const DIST = resolve(process.env.HOLDPOINT_DIST ?? new URL('../../../dist', import.meta.url).pathname)

/** @param {string} file */
function load(file) {
  return import(pathToFileURL(`${DIST}/${file}`).href)
}
