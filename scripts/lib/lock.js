import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readText } from './files.js'

/**
 * Runs `work` while no other process on this machine holds the same lock.
 * A holder that was killed leaves its file behind; its process id shows that it is gone.
 * @template T
 * @param {string} root
 * @param {string} name
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(root, name, work) {
  mkdirSync(join(root, '.build'), { recursive: true })
  const file = join(root, '.build', `${name}.lock`)
  for (let told = false; !take(file); await sleep(100)) {
    if (!told) console.error(`holdpoint: another process is running ${name}; waiting …`)
    told = true
  }
  const release = () => rmSync(file, { force: true })
  process.once('exit', release)
  try {
    return await work()
  } finally {
    process.off('exit', release)
    release()
  }
}

/** @param {string} file @returns {boolean} */
function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
  }
  const holder = readText(file)
  // An empty file: its holder has created it and not written it yet. Try again later.
  if (!holder || isAlive(Number(holder))) return false
  rmSync(file, { force: true })
  return take(file)
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}
