// @ts-check
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../lib/processes/free-port.js'

/** The program, which npm installs for this system and processor. */
function binary() {
  const { resolve } = createRequire(import.meta.url)
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`
  return join(resolve(`${name}/package.json`), '..', 'bin', 'restate-server')
}

/** A Restate server of this run's own: on this machine only, without telemetry, and like the Postgres of the bench without syncing to the disk. */
export async function startRestate() {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-bench-restate-'))
  const [node, ingress, admin] = [await freePort(), await freePort(), await freePort()]
  const env = {
    ...process.env,
    // Otherwise it listens on every interface.
    RESTATE_BIND_IP: '127.0.0.1',
    RESTATE_ADVERTISED_HOST: '127.0.0.1',
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_BIND_PORT: `${node}`,
    RESTATE_INGRESS__BIND_PORT: `${ingress}`,
    RESTATE_ADMIN__BIND_PORT: `${admin}`,
    RESTATE_BASE_DIR: folder,
    RESTATE_LOG_SERVER__ROCKSDB_DISABLE_WAL_FSYNC: 'true',
    RESTATE_BIFROST__LOCAL__ROCKSDB_DISABLE_WAL_FSYNC: 'true',
    RESTATE_LOG_FILTER: 'error',
    DO_NOT_TRACK: '1',
  }
  // The shell ends the server when its own input ends, which it does however this process dies.
  const script = '"$1" --no-logo </dev/null >&2 & pid=$!; (cat >/dev/null; kill -KILL $pid) <&3 3<&- & wait $pid'
  const child = spawn('sh', ['-c', `exec 3<&0; ${script}`, 'sh', binary()], {
    env,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const gone = once(child, 'exit')
  await answers(`http://127.0.0.1:${admin}/health`)
  await answers(`http://127.0.0.1:${ingress}/restate/health`)
  return {
    ingress: `http://127.0.0.1:${ingress}`,
    admin: `http://127.0.0.1:${admin}`,
    async close() {
      child.stdin.end()
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits up to a minute. @param {string} url */
async function answers(url) {
  for (let tries = 0; ; tries++) {
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    if (tries === 600) throw new Error(`Restate did not answer at ${url}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
