import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '../../index.ts'
import { type ParsedArgs, parseArgsText } from '../../protocol/json/json.ts'
import { CliError } from '../command-line/errors.ts'

/**
 * Lets a person change arguments as JSON in their editor. `refuse` is shown what is wrong and says whether they want to try again; what they
 * wrote is kept for that.
 */
export async function editInEditor(
  args: JsonObject,
  options: { editor: string; again(problem: string): Promise<boolean> },
): Promise<JsonObject> {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-edit-'))
  const file = join(dir, 'arguments.json')
  try {
    writeFileSync(file, `${JSON.stringify(args, null, 2)}\n`, { mode: 0o600 })
    for (;;) {
      await openEditor(options.editor, file)
      const parsed: ParsedArgs = parseArgsText(readFileSync(file, 'utf8'))
      if (parsed.ok) return parsed.args
      if (!(await options.again(parsed.problem))) {
        throw new CliError('edit_given_up', 'Nothing was decided. The request is still open.')
      }
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** EDITOR may have arguments of its own (`code --wait`), so a shell reads it; the file's name is never part of that text. */
function openEditor(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) return resolve()
      reject(new CliError('editor_failed', `${editor} ended with ${code}. Nothing was decided.`))
    })
  })
}
