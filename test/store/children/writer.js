import { writeSync } from 'node:fs'
import { open } from './open.js'

/**
 * Appends to a store in a process of its own. Each acknowledged append is told on standard output, in a line that is out before the next
 * one begins. With `crash` it kills itself when a crash point is reached for the nth time.
 *
 * `mode: 'own'` writes its own thread, `'shared'` one thread with all others, `'counter'` reads a thread and appends at the
 * version that it saw until that is accepted.
 */
const {
  path,
  name,
  count,
  mode = 'own',
  durability = 'power',
  thread = false,
  crash,
  close = true,
} = JSON.parse(process.argv[2] ?? '')

let reached = 0
/** @param {string} point */
const crashPoint = (point) => {
  if (crash && point === crash.point && ++reached === crash.nth) process.kill(process.pid, 'SIGKILL')
}
const store = await open(path, {
  durability,
  busyTimeoutMs: 30_000,
  ...(thread ? { thread } : { crashPoint }),
})

const threadId = mode === 'own' ? name : mode
for (let n = 1; n <= count; n++) {
  const id = `${name}-${String(n).padStart(6, '0')}`
  const append = {
    threadId,
    entries: ['a', 'b', 'c'].map((part) => JSON.stringify({ by: name, n, part })),
    requests: [
      {
        op: 'open',
        entry: 1,
        row: {
          id,
          questionId: id,
          kind: 'approve',
          agent: name,
          tool: null,
          assignee: null,
          expiresAt: null,
          readers: null,
          lists: null,
          risk: null,
          text: '',
        },
      },
    ],
  }
  let outcome
  do {
    const version = mode === 'counter' ? (await store.read(threadId)).version : undefined
    outcome = await store.append(version === undefined ? append : { ...append, version })
  } while (!outcome.ok && outcome.conflict.kind === 'version')
  if (!outcome.ok) throw new Error(JSON.stringify(outcome))
  writeSync(1, `${JSON.stringify({ n, id, version: outcome.version })}\n`)
}
if (close) await store.close()
