import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Ends with its input, so with the process that it belongs to, and then removes the folders that it was told. It tries again while servers that
 * end at the same time still write.
 */
const SCRIPT =
  'while read -r folder; do set -- "$@" "$folder"; done; for n in 1 2 3 4 5 6 7 8 9; do rm -rf "$@" && exit; sleep 1; done'

/** @type {import('node:net').Socket | undefined} */
let remover

/**
 * A folder that is gone soon after this process, however that ends: the test runner ends its processes by a signal, at which no `exit` listener is
 * called.
 * @param {string} name
 */
export function ownFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `holdpoint-${name}-`))
  remover ??= startRemover()
  remover.write(`${folder}\n`)
  return folder
}

function startRemover() {
  // Detached: Ctrl+C ends the tests, and not this.
  const child = spawn('sh', ['-c', SCRIPT], { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  const input = /** @type {import('node:net').Socket} */ (child.stdin)
  child.unref()
  input.unref()
  return input
}
