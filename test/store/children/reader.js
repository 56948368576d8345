import { writeSync } from 'node:fs'
import { open } from './open.js'

/**
 * Reads a thread over and over while others write it, until it has `until` entries, from the start and from where it was. Tells how many
 * reads saw it grow, and the first thing that was wrong.
 */
const { path, threadId, until } = JSON.parse(process.argv[2] ?? '')
const store = await open(path, { busyTimeoutMs: 30_000 })

/** @type {string[]} */
const known = []
let grown = 0
let wrong

/** @param {number} after */
async function look(after) {
  const { version, entries } = await store.read(threadId, { after })
  if (version < known.length) wrong ??= `version ${version} after ${known.length}`
  if (entries.length !== version - after) wrong ??= `${entries.length} entries after ${after} at version ${version}`
  for (const [index, { seq, body }] of entries.entries()) {
    if (seq !== after + 1 + index) wrong ??= `number ${seq} in place ${index} after ${after}`
    if ((known[seq - 1] ?? body) !== body) wrong ??= `entry ${seq} was ${known[seq - 1]} and is ${body}`
    known[seq - 1] = body
  }
  return version
}

writeSync(1, `${JSON.stringify({ ready: true })}\n`)
for (let last = 0; last < until && wrong === undefined; ) {
  const version = await look(0)
  if (version > last) grown++
  last = await look(version)
  await look(Math.max(0, last - 100))
}
writeSync(1, `${JSON.stringify({ grown, version: known.length, wrong: wrong ?? null })}\n`)
await store.close()
