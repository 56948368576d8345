import { writeSync } from 'node:fs'
import Database from 'libsql'

/**
 * Holds a lock on an SQLite file until SIGTERM. In a process of its own: POSIX locks belong to a process, so that a second SQLite library in the
 * same one (libsql beside node:sqlite) would neither see this lock nor keep its own.
 */
const { path, begin } = JSON.parse(process.argv[2] ?? '')
const db = new Database(path)
db.exec(begin)
const kept = setInterval(() => undefined, 60_000)
process.once('SIGTERM', () => {
  db.exec('COMMIT')
  db.close()
  clearInterval(kept)
})
writeSync(1, `${JSON.stringify({ locked: true })}\n`)
