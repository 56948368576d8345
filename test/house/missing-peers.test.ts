import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
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
  for (const part of ['dist', 'demo', 'package.json'])
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

  it('jwtAuth says what to install; createGateway needs nothing', () => {
    const program = `import { createGateway, jwtAuth } from 'holdpoint/gateway'
      import { memoryStreams } from 'holdpoint'
      const auth = { authenticate: async () => ({ ok: false, detail: '' }) }
      console.log(typeof createGateway({ streams: memoryStreams(), auth }).fetch)
      try { jwtAuth({ secret: 'x'.repeat(32) }) } catch (error) { report(error) }`
    expect(inProject(bare, program).split('\n')).toEqual([
      'function',
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

  it('bullmqQueue and postgresQueue say what to install; inProcessQueue needs nothing', () => {
    const program = `import { bullmqQueue, inProcessQueue, postgresQueue } from 'holdpoint/worker'
      try { bullmqQueue({ connection: 'redis://127.0.0.1:1' }) } catch (error) { report(error) }
      try { postgresQueue({ connectionString: 'postgres://127.0.0.1:1/x' }) } catch (error) { report(error) }
      console.log(typeof inProcessQueue().ring)`
    expect(inProject(bare, program).split('\n')).toEqual([
      missing("bullmqQueue needs bullmq and ioredis: run 'npm install bullmq ioredis'."),
      missing("postgresQueue needs graphile-worker and pg: run 'npm install graphile-worker pg'."),
      'function',
    ])
  })

  it('mcpServer says what to install when its tools are listed', () => {
    const program = `import { mcpServer } from 'holdpoint/mcp'
      await mcpServer({ name: 'files', command: 'never-started' }).tools().catch(report)`
    expect(inProject(bare, program)).toBe(
      missing("mcpServer needs @modelcontextprotocol/sdk: run 'npm install @modelcontextprotocol/sdk'."),
    )
  })

  it('openaiGate and holdpointMiddleware say what to install when they are first used', () => {
    const program = `import { memoryStore } from 'holdpoint'
      import { createGate, hostPolicy } from 'holdpoint/gate'
      import { holdpointMiddleware } from 'holdpoint/langchain'
      import { openaiGate } from 'holdpoint/openai-agents'
      const gate = createGate({ store: memoryStore(), policy: hostPolicy, source: 'test' })
      const agent = { tools: [], handoffs: [], clone: () => ({}) }
      await openaiGate(gate, { threadId: 't' }).run(agent, 'Hello').catch(report)
      const request = { toolCall: { id: 'c', name: 'x', args: {} }, state: { messages: [] }, runtime: {} }
      await holdpointMiddleware({ gate, threadId: () => 't' }).wrapToolCall(request).catch(report)`
    expect(inProject(bare, program).split('\n')).toEqual([
      missing("openaiGate needs the OpenAI Agents SDK: run 'npm install @openai/agents'."),
      missing("holdpointMiddleware needs LangChain: run 'npm install langchain @langchain/core @langchain/langgraph'."),
    ])
  })

  it('aiSdkGate says what to install if a schema cannot describe itself', () => {
    const program = `import { humanInTheLoop, memoryStore } from 'holdpoint'
      import { aiSdkGate } from 'holdpoint/ai-sdk'
      import { createGate } from 'holdpoint/gate'
      const gate = createGate({ store: memoryStore(), policy: humanInTheLoop({ interruptOn: {} }), source: 'x' })
      const tools = { old: { inputSchema: {}, execute: async () => 1 } }
      await aiSdkGate(gate, { threadId: 't', tools }).tools.old.execute({}, { toolCallId: 'c' }).catch(report)`
    expect(inProject(bare, program)).toBe(missing("aiSdkGate needs ai: run 'npm install ai'."))
  })

  it('createMcpProxy says what to install when a client connects', () => {
    const program = `import { humanInTheLoop, memoryStore } from 'holdpoint'
      import { createGate } from 'holdpoint/gate'
      import { createMcpProxy } from 'holdpoint/mcp'
      const gate = createGate({ store: memoryStore(), policy: humanInTheLoop({ interruptOn: {} }), source: 'mcp' })
      const proxy = createMcpProxy({ gate, servers: { files: { command: 'never-started' } } })
      await proxy.stdio({ principal: 'ann' }).catch(report)`
    expect(inProject(bare, program)).toBe(
      missing("createMcpProxy needs @modelcontextprotocol/sdk: run 'npm install @modelcontextprotocol/sdk'."),
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

  it('needs jose alone', () => {
    const program = `${made}
      const { Hono } = await import('hono')
      const { status } = await new Hono().route('/', gateway).request('/healthz')
      console.log(status)
      const refused = await gateway.request('/hil/open', { headers: { authorization: 'Bearer a.b.c' } })
      console.log(refused.status)
      await serve(gateway).catch(report)
      try { acceptWebSockets(gateway, createServer()) } catch (error) { report(error) }`
    expect(inProject(project('jose'), program).split('\n')).toEqual([
      '200',
      '401',
      missing("serve needs ws: run 'npm install ws'."),
      missing("acceptWebSockets needs ws: run 'npm install ws'."),
    ])
  })

  it('is served with ws, and without streams with nothing', () => {
    const noStreams = `import { createGateway, serve } from 'holdpoint/gateway'
      import { memoryStore } from 'holdpoint'
      const auth = { authenticate: async () => ({ ok: false, detail: '' }) }
      const { url, close } = await serve(createGateway({ store: memoryStore(), auth }))
      console.log((await fetch(url + '/healthz')).status)
      await close()`
    expect(inProject(project(), noStreams)).toBe('200')
    const all = project('jose', 'ws')
    const program = `${made} const { url, close } = await serve(gateway)
      console.log((await fetch(url + '/healthz')).status)
      await close()`
    expect(inProject(all, program)).toBe('200')
  })
})

it.each(['serve', 'worker'])('holdpoint %s ends at once and says what to install', (role) => {
  const folder = project('jose')
  writeFileSync(
    join(folder, 'agents.mjs'),
    "import { Agent } from 'holdpoint'\nexport default new Agent({ name: 'a', model: { respond: async () => ({ content: '' }) } })",
  )
  const args = role === 'serve' ? ['--port', '0'] : ['--agents', 'agents.mjs']
  const place = ['--store', 'postgres://127.0.0.1:1/x']
  const done = spawnSync(process.execPath, ['node_modules/holdpoint/dist/cli/main.js', role, ...place, ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 50_000,
  })
  const told = "error: postgresStore needs pg: run 'npm install pg'. [peer_missing]"
  expect([done.status, done.stderr.split('\n')]).toEqual([1, expect.arrayContaining([told])])
})

describe('npx holdpoint start', () => {
  /** Starts it until it has printed a line or ended. */
  async function startIn(folder: string): Promise<{ stdout: string; stderr: string }> {
    const main = join('node_modules/holdpoint/dist/cli/main.js')
    const child = spawn(process.execPath, [main, 'start', '--json'], {
      cwd: folder,
      env: { ...process.env, HOLDPOINT_DATA: join(folder, 'data'), PORT: '0', HOLDPOINT_USER: 'ann' },
      timeout: 60_000,
    })
    const said = { stdout: '', stderr: '' }
    const closed = once(child, 'close')
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said.stdout += text
      if (text.includes('\n')) child.kill()
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.stderr += text
    })
    await closed
    return said
  }

  it('works with what the package depends on and an SQLite, and says so where Node has none', async () => {
    const hasOwn = isBuiltin('node:sqlite')
    const bare = await startIn(project())
    if (!hasOwn) expect(bare.stderr).toContain('npx -p holdpoint -p libsql holdpoint start')
    const { stdout, stderr } = hasOwn ? bare : await startIn(project('libsql'))
    expect([JSON.parse(stdout).link, stderr]).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#code=/), ''])
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

it('holdpoint doctor names what serve and worker would end for want of', () => {
  const doctor = (folder: string, queue: string) => {
    const env = {
      HOLDPOINT_QUEUE: queue,
      HOLDPOINT_STREAMS: 'redis://127.0.0.1:1',
      HOLDPOINT_JWT_SECRET: 'x'.repeat(32),
    }
    const done = spawnSync(process.execPath, ['node_modules/holdpoint/dist/cli/main.js', 'doctor', '--json'], {
      cwd: folder,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      timeout: 30_000,
    })
    const { findings } = JSON.parse(done.stdout) as { findings: { level: string; message: string }[] }
    return findings
      .filter(({ level, message }) => level === 'fail' && message.includes('npm install'))
      .map(({ message }) => message)
  }
  const drivers = project('libsql', 'pg', 'ioredis')
  const common = [
    "sign-in by tokens needs jose: run 'npm install jose'.",
    "serving message streams needs ws: run 'npm install ws'.",
  ]
  expect(doctor(drivers, 'redis://127.0.0.1:1')).toEqual([
    "a queue in Redis needs bullmq: run 'npm install bullmq'.",
    ...common,
  ])
  expect(doctor(drivers, 'postgres://127.0.0.1:1/x')).toEqual([
    "a queue in Postgres needs graphile-worker: run 'npm install graphile-worker'.",
    ...common,
  ])
  expect(doctor(project('libsql', 'pg', 'ioredis', 'bullmq', 'jose', 'ws'), 'redis://127.0.0.1:1')).toEqual([])
})
