import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stream } from 'node:stream'
import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { doorsOf, selfApproval } from '../../../src/cli/mcp-proxy/doors.ts'
import { openDesk, type Store } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { ann, asked, callOf, everythingProgram, filesystem, openRequests, textOf } from '../../mcp-proxy/proxies.ts'
import { until } from '../../support/until.ts'
import { holdpoint, MAIN, tempDir } from '../support/programs.ts'

const echo = { command: 'node', args: ['server.js'] }

/** A variable as a configuration file names it. */
const variable = (name: string): string => ['$', '{', name, '}'].join('')

/** A folder with a configuration file. */
function configured(config: unknown): string {
  const folder = realpathSync(tempDir())
  writeFileSync(join(folder, 'proxy.json'), typeof config === 'string' ? config : JSON.stringify(config))
  return folder
}

/** How a client starts the proxy of a folder. */
function commandIn(folder: string) {
  const args = [MAIN, 'mcp-proxy', '--config', join(folder, 'proxy.json')]
  return { command: process.execPath, args, stderr: 'pipe' } as const
}

/** What a command that a transport starts has logged so far. */
function logOf({ stderr }: { readonly stderr: Stream | null }): () => string {
  let log = ''
  stderr?.on('data', (chunk) => {
    log += String(chunk)
  })
  return () => log
}

/** The real SDK's client, which starts the command as its configuration says, and what the command logs. */
async function clientIn(folder: string): Promise<{ client: Client; log(): string }> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StdioClientTransport(commandIn(folder))
  const log = logOf(transport)
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { client, log }
}

/** The store of a folder, as another process opens it. */
function storeIn(folder: string): Store {
  const store = sqliteStore({ path: join(folder, 'store.db') })
  onTestFinished(() => store.close())
  return store
}

test('on stdio the gated process cannot approve its own call, by command or by the store; a person who signed in can', async () => {
  const folder = configured({})
  const file = join(folder, 'note.txt')
  const policy = { rules: { 'files.read_*': 'allow', 'files.move_file': 'deny' }, otherwise: 'review' }
  writeFileSync(
    join(folder, 'proxy.json'),
    JSON.stringify({ servers: { files: filesystem(folder) }, policy, store: 'store.db' }),
  )
  const { client, log } = await clientIn(folder)
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('write_file')
  expect((await callOf(client, 'move_file', { source: file, destination: `${file}2` })).isError).toBe(true)
  const call = callOf(client, 'write_file', { path: file, content: 'hello' })
  const store = storeIn(folder)
  const request = (await asked(store))[0]!
  const entries = (await store.read(request.threadId)).entries.map(({ body }) => JSON.parse(body))
  const judged = entries.find(({ type }) => type === 'call.judged')
  expect(judged.policies[0]).toMatchObject({ name: 'proxy.json', verdict: 'review' })
  for (const as of [[], ['--as', 'ann']]) {
    const tried = holdpoint(folder, ['approve', request.id, '--store', 'store.db', ...as])
    expect(tried.code).not.toBe(0)
    expect(tried.stderr).toContain('inbox')
  }
  const desk = openDesk({ store })
  const decision = { type: 'approve' } as const
  await expect(desk.decide({ request, decision, by: ann })).rejects.toMatchObject({ code: 'reviewer_not_allowed' })
  expect([existsSync(file), await openRequests(store)]).toMatchObject([false, [{ id: request.id }]])
  await desk.decide({ request, decision, by: { ...ann, via: 'inbox' } })
  expect((await call).isError).toBeUndefined()
  expect(textOf(await callOf(client, 'read_text_file', { path: file }))).toBe('hello')
  expect(existsSync(join(folder, 'proxy.pins.json'))).toBe(true)
  expect(log()).not.toContain('self_approval')
})

test('a proxy whose configuration lets commands decide warns of it, and a person approves in the terminal', async () => {
  const folder = configured({ servers: { all: everythingProgram }, store: 'store.db', via: 'any' })
  const client = new ModernClient(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  const transport = new ModernStdio(commandIn(folder))
  const log = logOf(transport)
  await client.connect(transport)
  onTestFinished(() => client.close())
  const call = client.callTool({ name: 'echo', arguments: { message: 'hi' } }, { timeout: 120_000 })
  const [request] = await asked(storeIn(folder))
  expect(holdpoint(folder, ['approve', request!.id, '--store', 'store.db'])).toMatchObject({ code: 0 })
  expect((await call).content).toEqual([{ type: 'text', text: 'Echo: hi' }])
  await until(() => log().includes('self_approval'))
})

test.each<[string, Parameters<typeof doorsOf>[0], readonly string[] | undefined, string | undefined]>([
  ['nothing, on stdio', {}, ['inbox'], undefined],
  ['elicitation, on stdio', { elicitation: true }, ['inbox', 'mcp-elicitation'], undefined],
  ['nothing, over HTTP', { http: { port: 0 } }, undefined, undefined],
  ['any', { via: 'any' }, undefined, 'holdpoint approve'],
  ['link', { via: ['inbox', 'link'] }, ['inbox', 'link'], 'holdpoint link'],
  ['cli, over HTTP', { http: { port: 0 }, via: ['cli'] }, ['cli'], undefined],
])('doors of a configuration with %s', (_what, config, doors, warning) => {
  expect(doorsOf(config)).toEqual(doors)
  if (!config.http) expect(selfApproval(doors) ?? '').toContain(warning ?? '')
  if (!config.http && warning === undefined) expect(selfApproval(doors)).toBeUndefined()
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
    ['doors that are none', { servers: { a: echo }, via: 'inbox' }, 'via: must be "any" or an array of doors'],
    ['room for nobody', { servers: { a: echo }, http: { port: 0, maxPrincipals: 0 } }, 'http.maxPrincipals'],
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
