import { writeSync } from 'node:fs'
import { built } from './built.js'

/** Appends until the system lets the files grow no more, then tells what was acknowledged, refused and readable. */
const { path } = JSON.parse(process.argv[2] ?? '')
// Without a listener the signal would end the process; with one, writing fails.
process.on('SIGXFSZ', () => undefined)

const { sqliteStore } = await built('sqlite.js')
const store = sqliteStore({ path, durability: 'process' })
/** @type {{ acknowledged: number, error?: { code: string, message: string }, version?: number }} */
const report = { acknowledged: 0 }
const body = JSON.stringify({ pad: 'x'.repeat(20_000) })
try {
  for (;;) {
    await store.append({ threadId: 't', entries: [body, body] })
    report.acknowledged++
  }
} catch (error) {
  const { code, message } = /** @type {{ code: string, message: string }} */ (error)
  report.error = { code, message }
}
report.version = (await store.read('t')).version
writeSync(1, `${JSON.stringify(report)}\n`)
process.exit(0)
