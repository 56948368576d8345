import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type AuditKey, toAuditKeys } from '../../protocol/chain/audit-key.ts'
import type { Call } from '../command-line/command.ts'
import { UsageError } from '../command-line/errors.ts'

/**
 * The audit keys of `--audit-key-file`, else of HOLDPOINT_AUDIT_KEY, the newest first. One `ID:SECRET` per line; a line without an id has the id
 * `default`, like an `auditKey` that is a plain string.
 */
export function auditKeysOf(call: Call): readonly AuditKey[] {
  const { cwd, settings } = call.context
  const path = call.text('audit-key-file')
  const text = path === undefined ? settings.auditKey : readKeys(resolve(cwd, path), path)
  if (text === undefined) return []
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  if (lines.length === 0) {
    const source = path === undefined ? 'HOLDPOINT_AUDIT_KEY' : `--audit-key-file: ${path}`
    throw new UsageError(`${source} is empty: give a key, or leave it out to not check signatures`)
  }
  const keys = lines.map((line) => {
    const colon = line.indexOf(':')
    return colon < 0 ? { id: 'default', secret: line } : { id: line.slice(0, colon), secret: line.slice(colon + 1) }
  })
  return toAuditKeys(keys)
}

function readKeys(path: string, shown: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new UsageError(`--audit-key-file: ${shown} cannot be read`)
  }
}
