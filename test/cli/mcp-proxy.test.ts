import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { HitlRequest } from '../../src/index.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { asked, callOf, everythingProgram, filesystem, textOf } from '../mcp-proxy/proxies.ts'
import { holdpoint, MAIN, tempDir } from './programs.ts'

const echo = { command: 'node', args: ['server.js'] }

/** A variable as a configuration file names it. */
const variable = (name: string): string => ['$', '{', name, '}'].join('')

/** A folder with a configuration file. */
function configured(config: unknown): string {
  const folder = realpathSync(tempDir())
  writeFileSync(join(folder, 'proxy.json'), typeof config === 'string' ? config : JSON.stringify(config))
  return folder
}

/** The real SDK's client, which starts the command as its configuration says. */
async function clientIn(folder: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const args = [MAIN, 'mcp-proxy', '--config', join(folder, 'proxy.json')]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }))
  onTestFinished(() => client.close())
  return client
}

/** The request that waits in the store of a folder. */
async function waiting(folder: string): Promise<HitlRequest> {
  const store = sqliteStore({ path: join(folder, 'store.db') })
  try {
    return (await asked(store))[0]!
  } finally {
    await store.close()
  }
}

test('a client whose configuration names the proxy gets the tools, and a person approves in the terminal', async () => {
  const folder = configured({})
  const file = join(folder, 'note.txt')
  const policy = { rules: { 'files.read_*': 'allow', 'files.move_file': 'deny' }, otherwise: 'review' }
  writeFileSync(
    join(folder, 'proxy.json'),
    JSON.stringify({ servers: { files: filesystem(folder) }, policy, store: 'store.db' }),
  )
  const client = await clientIn(folder)
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('write_file')
  expect((await callOf(client, 'move_file', { source: file, destination: `${file}2` })).isError).toBe(true)
  const call = callOf(client, 'write_file', { path: file, content: 'hello' })
  const { id } = await waiting(folder)
  expect(existsSync(file)).toBe(false)
  expect(holdpoint(folder, ['approve', id, '--store', 'store.db'])).toMatchObject({ code: 0 })
  expect((await call).isError).toBeUndefined()
  expect(textOf(await callOf(client, 'read_text_file', { path: file }))).toBe('hello')
  expect(existsSync(join(folder, 'proxy.pins.json'))).toBe(true)
})

test('a client of 2026-07-28 that starts the command gets the result of a call that was approved', async () => {
  const folder = configured({ servers: { all: everythingProgram }, store: 'store.db' })
  const client = new ModernClient(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  const args = [MAIN, 'mcp-proxy', '--config', join(folder, 'proxy.json')]
  await client.connect(new ModernStdio({ command: process.execPath, args, stderr: 'ignore' }))
  onTestFinished(() => client.close())
  const call = client.callTool({ name: 'echo', arguments: { message: 'hi' } }, { timeout: 120_000 })
  const { id } = await waiting(folder)
  expect(holdpoint(folder, ['approve', id, '--store', 'store.db'])).toMatchObject({ code: 0 })
  expect((await call).content).toEqual([{ type: 'text', text: 'Echo: hi' }])
})

test('--pin writes the definitions of all tools', () => {
  const folder = configured({ servers: { all: everythingProgram }, store: 'store.db', pins: 'lock.json' })
  const done = holdpoint(folder, ['mcp-proxy', '--config', 'proxy.json', '--pin'])
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toMatch(/^all: pinned \d+ tools\n$/)
  expect(JSON.parse(readFileSync(join(folder, 'lock.json'), 'utf8'))).toHaveProperty('servers.all.echo.inputSchema')
})

describe('a configuration that is wrong is refused, with what is wrong', () => {
  test.each<[string, unknown, string]>([
    ['no JSON', '{', 'proxy.json: is not JSON.'],
    ['no servers', {}, 'proxy.json: servers:'],
    ['an empty list of servers', { servers: {} }, 'servers: needs at least one server'],
    ['an unknown setting', { servers: { a: echo }, polcy: {} }, 'the file has no setting "polcy"; there are servers,'],
    ['a server without a way', { servers: { a: {} } }, 'servers.a: needs command'],
    ['a server with two ways', { servers: { a: { ...echo, url: 'http://x' } } }, 'servers.a: needs command'],
    ['a server with a bad name', { servers: { 'a b': echo } }, 'MCP server "a b"'],
    [
      'an unknown verdict',
      { servers: { a: echo }, policy: { rules: { 'a.*': 'ask' } } },
      'The rule "a.*" must be allow, review, deny or an object',
    ],
    [
      'an unknown option of a rule',
      { servers: { a: echo }, policy: { rules: { 'a.*': { reviewer: 'ann' } } } },
      'The rule "a.*" has an unknown key',
    ],
    [
      'a rule that lets calls run by silence',
      { servers: { a: echo }, policy: { rules: { 'a.*': { onTimeout: 'allow' } } } },
      'only a rule with risk "low"',
    ],
    ['a policy file that is missing', { servers: { a: echo }, policy: 'rules.json' }, 'rules.json: cannot be read'],
    [
      'a variable that is not set',
      { servers: { a: { ...echo, env: { T: variable('HOLDPOINT_T') } } } },
      'the variable HOLDPOINT_T is not set',
    ],
    [
      'a variable of another kind',
      { servers: { a: { ...echo, env: { T: variable('HOME') } } } },
      `${variable('HOME')} is not a variable that begins with HOLDPOINT_`,
    ],
    ['HTTP without a way to check tokens', { servers: { a: echo }, http: { port: 0 } }, 'only to callers with a token'],
  ])('%s', (_what, config, message) => {
    const folder = configured(config)
    const done = holdpoint(folder, ['mcp-proxy', '--config', 'proxy.json', '--store', 'store.db'])
    expect(done.code).not.toBe(0)
    expect(done.stderr).toContain(message)
    expect(done.stdout).toBe('')
  })

  test('no file', () => {
    expect(holdpoint(tempDir(), ['mcp-proxy']).stderr).toContain('mcp-proxy needs --config FILE')
    expect(holdpoint(tempDir(), ['mcp-proxy', '--config', 'none.json']).stderr).toContain('none.json: no such file.')
  })
})
