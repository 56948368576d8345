import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../store/sqlite/harness.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { dependencies, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** A project that has the built package, what that depends on, and the peers that are named. */
function project(...peers: string[]): string {
  const folder = temporaryFolder()
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'holdpoint'), { recursive: true })
  for (const part of ['dist', 'package.json'])
    cpSync(join(ROOT, part), join(modules, 'holdpoint', part), { recursive: true })
  for (const name of [...Object.keys(dependencies), ...peers]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name), 'dir')
  }
  return folder
}

/** What a program prints there. In a process of its own: here, all peers are found. */
function inProject(folder: string, program: string): string {
  const report = `const report = ({ name, code, retryable, message }) => console.log(name, code, retryable, message)\n`
  const args = ['--input-type=module', '-e', report + program]
  return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: 30_000 }).trim()
}

const missing = (message: string) => `PeerMissing peer_missing false ${message}`

describe('without optional peers', () => {
  let bare: string
  beforeAll(() => {
    bare = project()
  })

  // Components are nothing without React, whose apps always have it.
  const entries = Object.keys(exports).filter((name) => name !== './package.json' && name !== './react')
  it.each(entries)('%s can be imported', (name) => {
    const entry = name.replace('.', 'holdpoint')
    expect(inProject(bare, `console.log(typeof (await import('${entry}')))`)).toBe('object')
  })

  it('./react needs react and nothing else', () => {
    const program = `console.log(typeof (await import('holdpoint/react')).InboxProvider)`
    expect(inProject(project('react'), program)).toBe('function')
  })

  it('createGateway and jwtAuth say what to install', () => {
    const program = `import { createGateway, jwtAuth } from 'holdpoint/gateway'
      import { memoryStreams } from 'holdpoint'
      const auth = { authenticate: async () => ({ ok: false, detail: '' }) }
      try { createGateway({ streams: memoryStreams(), auth }) } catch (error) { report(error) }
      try { jwtAuth({ secret: 'x'.repeat(32) }) } catch (error) { report(error) }`
    expect(inProject(bare, program).split('\n')).toEqual([
      missing("createGateway needs hono: run 'npm install hono'."),
      missing("jwtAuth needs jose: run 'npm install jose'."),
    ])
  })

  it('redisStreams says what to install, and needs nothing for a client that was brought', () => {
    const program = `import { redisStreams } from 'holdpoint/redis'
      try { redisStreams({ url: 'redis://127.0.0.1:1' }) } catch (error) { report(error) }
      console.log(redisStreams({ client: { isCluster: false } }).tenantId)`
    expect(inProject(bare, program).split('\n')).toEqual([
      missing("redisStreams needs ioredis: run 'npm install ioredis'."),
      'default',
    ])
  })

  it('mcpServer says what to install when its tools are listed', () => {
    const program = `import { mcpServer } from 'holdpoint/mcp'
      await mcpServer({ name: 'files', command: 'never-started' }).tools().catch(report)`
    expect(inProject(bare, program)).toBe(
      missing("mcpServer needs @modelcontextprotocol/sdk: run 'npm install @modelcontextprotocol/sdk'."),
    )
  })

  it('postgresStore says what to install', () => {
    const program = `import { postgresStore } from 'holdpoint/postgres'
      const store = postgresStore({ connectionString: 'postgres://127.0.0.1:1/x' })
      await store.append({ threadId: 't', entries: [] }).catch(report)
      await store.close()`
    expect(inProject(bare, program)).toBe(missing("postgresStore needs pg: run 'npm install pg'."))
  })

  it('sqliteStore says what to install', () => {
    const program = `import { sqliteStore } from 'holdpoint/sqlite'
      const store = sqliteStore({ path: 'x.db', driver: 'libsql' })
      await store.append({ threadId: 't', entries: [] }).catch(report)
      await store.close()`
    expect(inProject(bare, program)).toMatch(/^PeerMissing peer_missing false .*npm install libsql/)
  })
})

describe('a gateway that is mounted', () => {
  const made = `import { createGateway, jwtAuth, serve, acceptWebSockets } from 'holdpoint/gateway'
      import { memoryStreams } from 'holdpoint'
      import { createServer } from 'node:http'
      const gateway = createGateway({ streams: memoryStreams(), auth: jwtAuth({ secret: 'x'.repeat(32) }) })\n`

  it('needs hono and jose alone', () => {
    const program = `${made}
      const { Hono } = await import('hono')
      const { status } = await new Hono().route('/', gateway).request('/healthz')
      console.log(status)
      const refused = await gateway.request('/hil/open', { headers: { authorization: 'Bearer a.b.c' } })
      console.log(refused.status)
      await serve(gateway).catch(report)
      try { acceptWebSockets(gateway, createServer()) } catch (error) { report(error) }`
    expect(inProject(project('hono', 'jose'), program).split('\n')).toEqual([
      '200',
      '401',
      missing("serve needs @hono/node-server and ws: run 'npm install @hono/node-server ws'."),
      missing("acceptWebSockets needs ws: run 'npm install ws'."),
    ])
  })

  it('is served with the node server and ws', () => {
    const folder = project('hono', 'jose', '@hono/node-server')
    expect(inProject(folder, `${made} await serve(gateway).catch(report)`)).toBe(
      missing("serve needs ws: run 'npm install ws'."),
    )
    const all = project('hono', 'jose', '@hono/node-server', 'ws')
    const program = `${made} const { url, close } = await serve(gateway)
      console.log((await fetch(url + '/healthz')).status)
      await close()`
    expect(inProject(all, program)).toBe('200')
  })
})

it('an error inside a peer is not called a missing peer', () => {
  const folder = project()
  const broken = join(folder, 'node_modules/pg')
  mkdirSync(broken)
  const program = `import { writeFileSync } from 'node:fs'
      writeFileSync('node_modules/pg/index.js', 'throw new TypeError("broken")')
      const { postgresStore } = await import('holdpoint/postgres')
      const store = postgresStore({ connectionString: 'postgres://127.0.0.1:1/x' })
      await store.append({ threadId: 't', entries: [] }).catch(report)
      await store.close()`
  const told = inProject(folder, program)
  expect(told).toContain('broken')
  expect(told).not.toContain('PeerMissing')
})
