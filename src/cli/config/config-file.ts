import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Call } from '../command-line/command.ts'
import { CliError } from '../command-line/errors.ts'
import { requireFile } from '../command-line/files.ts'
import { loadModule } from '../command-line/load-module.ts'
import { settings } from './settings.ts'

const CODE = 'config_invalid'
const USUAL = ['holdpoint.config.json', 'holdpoint.config.js']

/** The content of a configuration file, by the names of settings. */
export interface ConfigFile {
  /** As people know it. */
  readonly name: string
  readonly values: Readonly<Record<string, unknown>>
}

/** Reads the file of `--config` or HOLDPOINT_CONFIG, else the usual one of the current folder, if there is one. */
export async function readConfigFile(call: Call): Promise<ConfigFile | undefined> {
  const { cwd, environment } = call.context
  const named = call.text('config') ?? (environment.HOLDPOINT_CONFIG || undefined)
  const name = named ?? USUAL.find((usual) => existsSync(resolve(cwd, usual)))
  if (name === undefined) return undefined
  const values = name.endsWith('.json') ? readJson(requireFile(call, name, CODE), name) : await loadDefault(call, name)
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw new CliError(CODE, `${name} must hold an object, such as { "store": "postgres://…" }.`)
  const unknown = Object.keys(values).find((key) => !Object.hasOwn(settings, key))
  if (unknown !== undefined)
    throw new CliError(
      CODE,
      `${name} has the unknown setting ${JSON.stringify(unknown)}. Known: ${Object.keys(settings).join(', ')}.`,
    )
  return { name, values: values as Record<string, unknown> }
}

function readJson(path: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    // The message of a syntax error quotes the text, which may hold secrets.
    const problem = error instanceof SyntaxError ? 'is not JSON' : `cannot be read: ${(error as Error).message}`
    throw new CliError(CODE, `${name} ${problem}.`)
  }
}

async function loadDefault(call: Call, name: string): Promise<unknown> {
  return (await loadModule<{ default: unknown }>(call, name, CODE)).default
}
