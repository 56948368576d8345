/**
 * What a folder of src/ may import. `folders`: other folders, and entry points by file name ('index.ts'). `types`: the same, but only their types.
 * `packages`: npm packages. `node`: Node's own modules without `node:`. `lazy`: packages and modules that may be loaded only when they are first
 * needed ('<computed>' is an `import()` of a name that is not a literal). '*' is any.
 * @typedef {{ folders?: string[], types?: string[], packages?: string[], node?: string[], lazy?: string[] }} Rule
 */

/**
 * The table "folder | may import" of docs/architecture. A folder that isn't here is an error, and so is whatever a
 * row doesn't name. Rows of folders that don't exist yet are kept so that the first file put there is already checked.
 * @type {Record<string, Rule>}
 */
export const LAYOUT = {
  protocol: { packages: ['zod', 'canonicalize'], node: ['crypto'] },
  // Runs in browsers.
  'core/display': { types: ['protocol'] },
  core: { folders: ['protocol', 'core/display'] },
  schema: { folders: ['protocol'], node: ['module'], lazy: ['ajv', 're2js', 'node:vm'] },
  ports: { folders: ['protocol'], node: ['async_hooks', 'process'] },
  tracing: { folders: ['ports', 'protocol', 'schema'], node: ['module'], lazy: ['@opentelemetry/api'] },
  desk: { folders: ['core', 'ports', 'protocol', 'schema', 'tracing'] },
  policy: { folders: ['core', 'protocol', 'schema'] },
  hil: { folders: ['ports', 'protocol'], node: ['async_hooks'] },
  channel: { folders: ['core', 'ports', 'protocol', 'desk', 'hil'] },
  // The rooms of the runtime, in the order in which data passes them. None imports one that comes later.
  'runtime/definition': { folders: ['core', 'core/display', 'policy', 'ports', 'protocol', 'schema'] },
  'runtime/journal': { folders: ['core', 'desk', 'ports', 'protocol'], node: ['crypto', 'fs', 'os', 'process'] },
  'runtime/events': { folders: ['core', 'ports', 'protocol', 'tracing', 'runtime/journal'] },
  'runtime/body': { folders: ['core', 'ports', 'protocol', 'runtime/definition', 'runtime/journal'] },
  'runtime/frames': { folders: ['core', 'policy', 'protocol', 'runtime/definition', 'runtime/journal'] },
  'runtime/judging': {
    folders: [
      ...['core', 'desk', 'policy', 'ports', 'protocol', 'schema'],
      ...['runtime/definition', 'runtime/journal', 'runtime/frames'],
    ],
  },
  'runtime/steps': {
    folders: [
      ...['core', 'ports', 'protocol'],
      ...['runtime/definition', 'runtime/journal', 'runtime/body', 'runtime/frames', 'runtime/judging'],
    ],
  },
  'runtime/loop': {
    folders: [
      ...['core', 'desk', 'policy', 'ports', 'protocol'],
      ...['runtime/definition', 'runtime/journal', 'runtime/body', 'runtime/judging', 'runtime/steps'],
    ],
  },
  'runtime/answers': {
    folders: [
      ...['core', 'desk', 'ports', 'protocol'],
      ...['runtime/definition', 'runtime/journal', 'runtime/frames', 'runtime/judging'],
    ],
  },
  'runtime/restore': {
    folders: [
      ...['core', 'desk', 'ports', 'protocol', 'store/memory'],
      ...['runtime/definition', 'runtime/journal', 'runtime/frames', 'runtime/judging'],
    ],
  },
  'runtime/session': { folders: ['core', 'desk', 'ports', 'protocol', 'runtime/journal', 'runtime/loop'] },
  'runtime/run': {
    folders: [
      ...['core', 'desk', 'ports', 'protocol', 'store/memory'],
      ...['runtime/definition', 'runtime/journal', 'runtime/events', 'runtime/frames', 'runtime/steps'],
      ...['runtime/loop', 'runtime/answers', 'runtime/restore', 'runtime/session'],
    ],
    node: ['stream'],
  },
  'runtime/thread': {
    folders: [
      ...['core', 'desk', 'ports', 'protocol', 'store/memory', 'tracing'],
      ...['runtime/definition', 'runtime/journal', 'runtime/events', 'runtime/loop', 'runtime/answers', 'runtime/run'],
    ],
  },
  'runtime/agent': {
    folders: ['policy', 'ports', 'protocol', 'runtime/definition', 'runtime/run', 'runtime/thread'],
  },
  tools: { folders: ['ports', 'protocol', 'runtime/definition', 'tracing'], packages: ['zod'] },
  'store/shared': { folders: ['ports', 'protocol'] },
  'store/sql': { folders: ['ports', 'protocol', 'store/shared'], node: ['crypto'] },
  'store/memory': { folders: ['ports', 'protocol', 'store/shared'], node: ['crypto'] },
  'store/sqlite': {
    folders: ['ports', 'protocol', 'store/shared', 'store/sql'],
    node: ['*'],
    lazy: ['better-sqlite3', 'libsql', 'node:sqlite'],
  },
  'store/postgres': { folders: ['ports', 'protocol', 'store/shared', 'store/sql'], node: ['*'], lazy: ['pg'] },
  'streams/shared': { folders: ['ports', 'protocol'] },
  'streams/memory': { folders: ['ports', 'protocol', 'streams/shared'] },
  'streams/redis': { folders: ['ports', 'protocol', 'streams/shared'], lazy: ['ioredis'], node: ['*'] },
  'queue/shared': { folders: ['ports', 'protocol'], node: ['crypto'] },
  'queue/in-process': { folders: ['ports', 'protocol', 'queue/shared'] },
  'queue/bullmq': { folders: ['ports', 'protocol', 'queue/shared'], lazy: ['bullmq', 'ioredis'], node: ['*'] },
  'queue/postgres': { folders: ['ports', 'protocol', 'queue/shared'], lazy: ['graphile-worker', 'pg'], node: ['*'] },
  gateway: {
    folders: [
      ...['core', 'core/display', 'desk', 'hil', 'ports', 'protocol', 'schema', 'runtime/answers', 'webhooks'],
      ...['erasure', 'gate', 'metrics', 'worker/shared'],
    ],
    types: ['runtime/definition'],
    packages: ['zod'],
    lazy: ['hono', '@hono/node-server', 'jose', 'ws'],
    node: ['*'],
  },
  gate: {
    folders: [
      ...['core', 'desk', 'policy', 'ports', 'protocol', 'schema', 'webhooks'],
      ...['runtime/agent', 'runtime/definition', 'runtime/events', 'runtime/journal', 'runtime/judging'],
      ...['runtime/loop', 'runtime/steps'],
    ],
    packages: ['zod'],
  },
  metrics: { folders: ['ports'] },
  'worker/shared': { folders: ['desk', 'ports', 'protocol'], packages: ['zod'] },
  worker: {
    folders: [
      ...['core', 'desk', 'erasure', 'metrics', 'policy', 'ports', 'protocol', 'tracing', 'worker/shared'],
      ...['runtime/agent', 'runtime/answers', 'runtime/definition', 'runtime/events', 'runtime/frames'],
      ...['runtime/journal', 'runtime/loop', 'runtime/run'],
    ],
  },
  erasure: {
    folders: ['core', 'desk', 'ports', 'protocol', 'webhooks', 'worker/shared'],
    packages: ['zod'],
    node: ['crypto'],
  },
  'adapter/ai-sdk': { folders: ['ports', 'protocol'], packages: ['@ai-sdk/provider'] },
  // Adapters of agents: they use what a stranger can use.
  'adapter/ai-sdk-page': { folders: ['ports.ts'], types: ['index.ts'] },
  'adapter/ai-sdk-gate': { folders: ['adapter/ai-sdk-page', 'gate.ts', 'index.ts', 'ports.ts'], lazy: ['ai'] },
  // `ports` for the closed list of warnings.
  'adapter/ai-sdk-chat': { folders: ['adapter/ai-sdk-page', 'index.ts', 'ports', 'ports.ts'], types: ['gateway.ts'] },
  'adapter/mcp': {
    folders: ['core/display', 'runtime/definition', 'tools', 'ports', 'protocol', 'schema'],
    lazy: ['@modelcontextprotocol/sdk'],
    node: ['*'],
  },
  'adapter/langchain': {
    folders: ['gate.ts', 'index.ts', 'ports.ts'],
    lazy: ['langchain', '@langchain/core', '@langchain/langgraph'],
    node: ['util'],
  },
  'adapter/openai-agents': { folders: ['gate.ts', 'index.ts', 'ports.ts'], lazy: ['@openai/agents'], node: ['util'] },
  // The rooms of the MCP proxy, from the servers to the clients. None imports one that comes later.
  'adapter/mcp-proxy/wire': { folders: ['protocol'], lazy: ['@modelcontextprotocol/sdk'] },
  'adapter/mcp-proxy/pins': {
    folders: ['adapter/mcp', 'index.ts', 'protocol', 'schema'],
    packages: ['zod'],
    node: ['crypto', 'fs'],
  },
  'adapter/mcp-proxy/upstream': {
    folders: ['adapter/mcp', 'adapter/mcp-proxy/pins', 'adapter/mcp-proxy/wire', 'protocol'],
    lazy: ['@modelcontextprotocol/sdk'],
  },
  'adapter/mcp-proxy/room': {
    folders: ['adapter/mcp', ...['pins', 'upstream', 'wire'].map((room) => `adapter/mcp-proxy/${room}`), 'protocol'],
    lazy: ['@modelcontextprotocol/sdk'],
  },
  'adapter/mcp-proxy/call': {
    folders: [
      ...['adapter/mcp', 'gate.ts', 'index.ts', 'protocol'],
      ...['pins', 'room', 'upstream', 'wire'].map((room) => `adapter/mcp-proxy/${room}`),
    ],
    lazy: ['@modelcontextprotocol/sdk'],
  },
  'adapter/mcp-proxy/client': {
    folders: [
      ...['adapter/mcp', 'protocol'],
      ...['call', 'pins', 'room', 'upstream', 'wire'].map((room) => `adapter/mcp-proxy/${room}`),
    ],
    types: ['gateway.ts'],
    lazy: ['@modelcontextprotocol/sdk', '@hono/node-server'],
    node: ['*'],
  },
  'adapter/mcp-proxy': {
    folders: [
      ...['gate.ts', 'protocol'],
      ...['call', 'client', 'pins', 'room', 'upstream'].map((room) => `adapter/mcp-proxy/${room}`),
    ],
    types: ['gateway.ts'],
    lazy: ['@modelcontextprotocol/sdk'],
    node: ['process', 'stream'],
  },
  client: { types: ['protocol'] },
  react: { folders: ['client', 'core/display'], types: ['protocol'], packages: ['react'] },
  webhooks: { folders: ['core', 'core/display', 'ports', 'protocol'], packages: ['zod'], node: ['*'] },
  internals: { folders: ['*'] },
  testing: {
    folders: ['ports', 'protocol', 'core', 'desk', 'store/memory', 'streams/memory', 'queue/in-process'],
    node: ['*'],
  },
  'cli/render': { folders: ['core/display'], types: ['index.ts', 'protocol'] },
  'cli/command-line': {
    folders: ['cli/render', 'client.ts', 'index.ts', 'protocol'],
    node: ['*'],
    lazy: ['<computed>'],
  },
  'cli/store': {
    folders: [
      ...['cli/command-line', 'cli/render', 'index.ts', 'ports.ts', 'postgres.ts', 'sqlite.ts'],
      ...['core', 'policy', 'protocol', 'store/postgres', 'store/shared'],
    ],
    packages: ['zod'],
    node: ['*'],
  },
  'cli/seat': {
    folders: [
      ...['cli/command-line', 'cli/render', 'cli/store', 'client.ts', 'index.ts', 'ports.ts'],
      ...['core', 'desk', 'gateway', 'protocol', 'webhooks', 'worker/shared'],
    ],
    node: ['*'],
  },
  'cli/decide': { folders: ['cli/command-line', 'cli/render', 'cli/seat', 'index.ts', 'protocol'], node: ['*'] },
  'cli/inbox': {
    folders: ['cli/command-line', 'cli/decide', 'cli/render', 'cli/seat', 'client.ts', 'index.ts'],
    node: ['*'],
  },
  'cli/config': { folders: ['cli/command-line', 'protocol'], node: ['*'] },
  'cli/operate': {
    folders: [
      ...['cli/command-line', 'cli/config', 'cli/store', 'index.ts', 'gateway.ts', 'postgres.ts', 'redis.ts'],
      ...['worker.ts', 'gateway', 'metrics', 'ports', 'protocol'],
    ],
    node: ['*'],
  },
  'cli/doctor': {
    folders: [
      'cli/command-line',
      'cli/config',
      'cli/operate',
      'cli/store',
      'index.ts',
      'postgres.ts',
      'protocol',
      'store/postgres',
    ],
    lazy: ['pg', 'ioredis'],
    node: ['*'],
  },
  'cli/gate': {
    folders: ['cli/command-line', 'cli/store', 'gate.ts', 'index.ts', 'gate', 'policy', 'protocol'],
    node: ['*'],
  },
  'cli/mcp-proxy': {
    folders: ['cli/command-line', 'gate.ts', 'gateway.ts', 'index.ts', 'mcp.ts', 'policy', 'protocol'],
    packages: ['zod'],
    node: ['*'],
  },
  'cli/serving': { folders: ['cli/command-line', 'gateway.ts', 'store/sqlite'], packages: ['zod'], node: ['*'] },
  'cli/commands': { folders: ['*'], node: ['*'], lazy: ['<computed>'] },
  cli: { folders: ['cli/command-line', 'cli/commands', 'cli/render'], node: ['*'] },
}

/**
 * The entry points, src/<name>.ts, and the folders whose names each may hand on. Drivers have their own.
 * @type {Record<string, string[]>}
 */
export const ENTRIES = {
  index: [
    'protocol',
    'core',
    'ports',
    'desk',
    'erasure',
    'policy',
    'runtime/agent',
    'runtime/answers',
    'runtime/definition',
    'runtime/run',
    'runtime/session',
    'runtime/thread',
    'tools',
    'channel',
    'hil',
    'store/memory',
    'streams/memory',
  ],
  'ai-sdk': ['adapter/ai-sdk', 'adapter/ai-sdk-chat', 'adapter/ai-sdk-gate', 'adapter/ai-sdk-page'],
  client: ['client'],
  gate: ['gate', 'protocol'],
  gateway: ['gateway'],
  langchain: ['adapter/langchain'],
  mcp: ['adapter/mcp', ...['', '/call', '/pins', '/upstream'].map((room) => `adapter/mcp-proxy${room}`), 'tools'],
  'openai-agents': ['adapter/openai-agents'],
  ports: ['channel', 'ports', 'protocol'],
  postgres: ['store/postgres'],
  react: ['react'],
  redis: ['streams/redis'],
  sqlite: ['store/sqlite'],
  testing: ['testing', 'ports'],
  worker: ['ports', 'queue/bullmq', 'queue/in-process', 'queue/postgres', 'queue/shared', 'worker', 'worker/shared'],
}

/** All that `import 'holdpoint'` may load from outside of src/. Anything else is a driver, HTTP or telemetry. */
export const INDEX_LOADS = {
  packages: ['zod', 'canonicalize'],
  node: ['async_hooks', 'crypto', 'events', 'fs', 'module', 'os', 'perf_hooks', 'process', 'timers', 'util'],
}
