import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readText } from './files.js'
import { ROOT } from './root.js'
import { foreground } from './run.js'

/**
 * Counts a vitest JSON report. A file that fails to load has no failed tests, and an error outside of tests is not in the report;
 * both count as failures.
 * @param {string | undefined} text
 * @param {number} exitCode
 */
function count(text, exitCode) {
  const report = text === undefined ? {} : JSON.parse(text)
  /** @type {{ status: string, assertionResults: { status: string }[] }[]} */
  const files = report.testResults ?? []
  const broken = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  )
  const failed = (report.numFailedTests ?? 0) + broken.length
  return {
    passed: report.numPassedTests ?? 0,
    failed: Math.max(failed, exitCode === 0 ? 0 : 1),
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
  }
}

/**
 * Runs vitest in the foreground and ends with the line 'N passed, N failed'. Resolves to the exit code.
 * @param {string[]} args
 * @param {{ node?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export async function runTests(args, { node = process.execPath, env = process.env } = {}) {
  const file = join(ROOT, '.build', `tests-${process.pid}.json`)
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  const reports = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const code = await foreground(node, [vitest, 'run', ...reports, ...args], { cwd: ROOT, env })
  const { passed, failed, skipped } = count(readText(file), code)
  rmSync(file, { force: true })
  if (skipped > 0) console.log(`${skipped} skipped`)
  console.log(`${passed} passed, ${failed} failed`)
  return code
}
