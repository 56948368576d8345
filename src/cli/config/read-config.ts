import type { Call, Option } from '../command-line/command.ts'
import { CliError, UsageError } from '../command-line/errors.ts'
import { secretsInAddress } from './address-secrets.ts'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import { BadValue } from './readers.ts'
import { type Config, type Role, type Setting, type SettingName, settingsOf } from './settings.ts'

/** The configuration of a command, and what must not be shown of it. */
export interface ReadConfig {
  readonly config: Config
  readonly secrets: readonly string[]
}

/** A value and where it came from, in the words of messages. */
interface Given {
  readonly value: unknown
  readonly from: string
  readonly isFlag: boolean
}

/** The flags of a command. */
export function configOptions(role: Role): Record<string, Option> {
  const flags = settingsOf(role).flatMap(([, { flag, value, help, multiple }]): [string, Option][] =>
    flag === undefined ? [] : [[flag, { value, help, ...(multiple ? { multiple } : {}) }]],
  )
  const config = {
    value: 'FILE',
    help: 'the configuration file (HOLDPOINT_CONFIG; default: holdpoint.config.json or .js)',
  }
  return { ...Object.fromEntries(flags), config }
}

/** Reads the configuration: flags win over the environment, which wins over the file. A bad value is an error that names its source. */
export async function readConfig(call: Call, role: Role): Promise<ReadConfig> {
  const file = await readConfigFile(call)
  const config: Record<string, unknown> = {}
  const secrets: string[] = []
  for (const [name, setting] of settingsOf(role)) {
    const given = givenFor(call, { name, setting, file })
    if (!given) continue
    config[name] = read(setting, given)
    secrets.push(...secretsIn(setting, config[name]))
  }
  return { config: config as Config, secrets }
}

/** A setting that the command cannot do without. */
export function required<K extends SettingName>(config: Config, name: K, role: Role): NonNullable<Config[K]> {
  const value = config[name]
  if (value !== undefined && value !== null) return value
  const [, setting] = settingsOf(role).find(([each]) => each === name)!
  const flag = setting.flag === undefined ? '' : `--${setting.flag} ${setting.value}, `
  throw new UsageError(`${role} needs ${flag}${setting.env[0]}, or ${name} in the configuration file`)
}

function secretsIn({ secret }: Setting<unknown>, value: unknown): string[] {
  if (secret === 'address') return secretsInAddress(String(value))
  return secret === 'whole' ? [String(value)] : []
}

function givenFor(
  { context, text, texts }: Call,
  { name, setting, file }: { name: SettingName; setting: Setting<unknown>; file: ConfigFile | undefined },
): Given | undefined {
  const { flag, multiple } = setting
  if (flag !== undefined) {
    const value = multiple ? several(texts(flag)) : text(flag)
    if (value !== undefined) return { value, from: `--${flag}`, isFlag: true }
  }
  // An empty variable is what compose files and CI leave for one that is not set.
  const variable = setting.env.find((each) => (context.environment[each] ?? '') !== '')
  if (variable !== undefined) return { value: context.environment[variable], from: variable, isFlag: false }
  const value = file?.values[name]
  return value === undefined || !file ? undefined : { value, from: `${name} in ${file.name}`, isFlag: false }
}

function several(values: readonly string[]): readonly string[] | undefined {
  return values.length > 0 ? values : undefined
}

function read(setting: Setting<unknown>, { value, from, isFlag }: Given): unknown {
  try {
    return setting.read(value)
  } catch (error) {
    if (!(error instanceof BadValue)) throw error
    const shown = setting.secret ? '' : `, not ${JSON.stringify(value)}`
    const message = `${from} ${error.message}${shown}`
    throw isFlag ? new UsageError(message) : new CliError('config_invalid', `${message}.`)
  }
}
