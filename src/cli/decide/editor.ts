import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '../../index.ts'
import { type ParsedArgs, parseArgsText } from '../../protocol/json/json.ts'
import { CliError } from '../command-line/errors.ts'

/**
 * Opens the user's editor with arguments as JSON. If the result is not valid, `again` says what is wrong and asks whether to go on; then the editor
 * opens with what was written.
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

/** EDITOR may have arguments (`code --wait`), so a shell runs it. The file name is passed as an argument and never part of the script. */
function openEditor(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) return resolve()
      reject(new CliError('editor_failed', `${editor} exited with ${code}. Nothing was decided.`))
    })
  })
}
