import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Call } from '../../src/cli/command-line/command.ts'
import { readConfig } from '../../src/cli/config/read-config.ts'
import { type SettingName, settings, settingsOf } from '../../src/cli/config/settings.ts'
import { tempDir } from '../cli/support/programs.ts'

interface Given {
  flags?: Record<string, string | string[]>
  environment?: Record<string, string>
  file?: object | string
  cwd?: string
}

function callOf({ flags = {}, environment = {}, file, cwd = tempDir() }: Given): Call {
  if (file !== undefined)
    writeFileSync(join(cwd, 'holdpoint.config.json'), typeof file === 'string' ? file : JSON.stringify(file))
  return {
    context: { cwd, environment } as unknown as Call['context'],
    args: [],
    text: (name) => flags[name] as string | undefined,
    texts: (name) => (flags[name] as string[] | undefined) ?? [],
    flag: () => false,
  }
}

const serve = (given: Given) => readConfig(callOf(given), 'serve')

describe('the configuration of serve and worker', () => {
  it('flags win over variables, which win over the file', async () => {
    const file = { port: 1, host: 'from-file', issuer: 'from-file' }
    const environment = { HOLDPOINT_PORT: '2', HOLDPOINT_HOST: 'from-env' }
    const { config } = await serve({ file, environment, flags: { port: '3' } })
    expect(config).toEqual({ port: 3, host: 'from-env', issuer: 'from-file' })
  })

  it('HOLDPOINT_PORT wins over PORT, and an empty variable is as one that is not set', async () => {
    expect((await serve({ environment: { PORT: '5', HOLDPOINT_PORT: '6' } })).config.port).toBe(6)
    expect((await serve({ environment: { PORT: '5', HOLDPOINT_PORT: '' } })).config.port).toBe(5)
  })

  it('a list is a repeated flag, a variable with commas or an array', async () => {
    const origins = ['https://a.example', 'https://b.example']
    expect((await serve({ flags: { origin: origins } })).config).toEqual({ origins })
    expect((await serve({ environment: { HOLDPOINT_ORIGINS: origins.join(', ') } })).config).toEqual({ origins })
    expect((await serve({ file: { origins } })).config).toEqual({ origins })
  })

  it.each<[string, Given, string]>([
    ['a flag', { flags: { port: '70000' } }, '--port must be an integer from 0 to 65535, not "70000"'],
    ['a variable', { environment: { HOLDPOINT_INBOX: 'yes' } }, 'HOLDPOINT_INBOX must be on or off, not "yes".'],
    ['the second name of a variable', { environment: { PORT: 'x' } }, 'PORT must be an integer'],
    ['the file', { file: { graceSeconds: -1 } }, 'graceSeconds in holdpoint.config.json must be an integer from 0'],
    [
      'a list',
      { environment: { HOLDPOINT_ORIGINS: 'inbox.example.com' } },
      'HOLDPOINT_ORIGINS must be origins such as https://inbox.example.com, without a path, not "inbox.example.com".',
    ],
    ['the file, by type', { file: { host: 7 } }, 'host in holdpoint.config.json must be a string'],
    ['an unknown name', { file: { prot: 1 } }, 'holdpoint.config.json has the unknown setting "prot". Known: store,'],
    ['no object', { file: [] }, 'holdpoint.config.json must hold an object'],
    ['a file that is missing', { flags: { config: 'nope.json' } }, 'nope.json: no such file.'],
  ])('a bad value names its source: %s', async (_, given, message) => {
    await expect(serve(given)).rejects.toThrow(message)
  })

  it('a message about a secret does not show it', async () => {
    const environment = { HOLDPOINT_JWT_SECRET: 'hunter2', HOLDPOINT_STREAMS: 'http://u:hunter2@x' }
    for (const [name, value] of Object.entries(environment)) {
      const error: Error = await serve({ environment: { [name]: value } }).then(
        () => Promise.reject(new Error('it was accepted')),
        (thrown) => thrown,
      )
      expect(error.message).toMatch(new RegExp(`^${name} must be `))
      expect(error.message).not.toContain('hunter2')
    }
    const broken = await serve({ file: '{ "jwtSecret": hunter2 }' }).catch((error: Error) => error.message)
    expect(broken).toBe('holdpoint.config.json is not JSON.')
  })

  it('a module can be the file, and may name settings of the other role', async () => {
    const cwd = tempDir()
    writeFileSync(join(cwd, 'holdpoint.config.js'), 'export default { port: 0, concurrency: 4 }')
    writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
    expect((await serve({ cwd })).config).toEqual({ port: 0 })
    expect((await readConfig(callOf({ cwd }), 'worker')).config).toEqual({ concurrency: 4 })
  })

  it('secrets have no flag, except addresses, and each variable and flag belongs to one setting', () => {
    for (const [name, { secret, flag }] of [...settingsOf('serve'), ...settingsOf('worker')])
      expect([name, secret === 'whole' && flag !== undefined]).toEqual([name, false])
    const names = Object.keys(settings) as SettingName[]
    const variables = names.flatMap((name) => settings[name].env)
    const flags = names.flatMap((name) => settings[name].flag ?? [])
    expect(new Set(variables).size).toBe(variables.length)
    expect(new Set(flags).size).toBe(flags.length)
  })
})

it('the reference has a row for each setting, with its flag and variables', () => {
  const page = readFileSync(new URL('../../docs/reference/configuration.md', import.meta.url), 'utf8')
  const missing = Object.entries(settings).flatMap(([name, { flag, env }]) => {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? ''
    return [flag === undefined ? '' : `--${flag} `, ...env].filter((word) => !row.includes(word))
  })
  expect(missing).toEqual([])
})
