// A coding agent whose tools are held. This program plays both sides: Claude Code, which starts `holdpoint gate` as its hook and gives it JSON, and the
// gateway where people decide. In earnest they are two users, or two machines: `holdpoint serve --gate-policy` and `holdpoint gate install claude-code`.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { memoryStore } from 'holdpoint'
import { createInboxClient } from 'holdpoint/client'
import { createGate } from 'holdpoint/gate'
import { createGateway, jwtAuth, serve } from 'holdpoint/gateway'
import { SignJWT } from 'jose'
import policy from './policy.ts'

// Where people decide. The secret stays here: whoever knows it can make tokens that decide.
const store = memoryStore()
const secret = randomBytes(32).toString('hex')
const auth = jwtAuth({ secret, issuer: 'holdpoint', audience: 'holdpoint' })
const gate = (host: { tenant: string; source: string }) => createGate({ store, policy, ...host })
const server = await serve(createGateway({ store, auth, gate, undoSeconds: 0 }), { port: 0 })
const tokenOf = (sub: string, role: string): Promise<string> =>
  new SignJWT({ sub, roles: [role] })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('holdpoint')
    .setAudience('holdpoint')
    .setExpirationTime('1h')
    .sign(Buffer.from(secret))
const inbox = createInboxClient({ url: server.url, token: await tokenOf('ann', 'reviewer') })

// The agent has a token that opens requests and decides none.
const agentToken = await tokenOf('dev-agent', 'agent')
const holdpoint = fileURLToPath(new URL('dist/cli/main.js', import.meta.resolve('holdpoint/package.json')))

/** What Claude Code does around a tool: it starts the hook, writes to it what happens, and reads the answer. */
async function hook(event: string, call: object): Promise<string> {
  const args = [holdpoint, 'gate', '--host', 'claude-code', '--gateway', server.url]
  const env = { ...process.env, HOLDPOINT_TOKEN: agentToken }
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify({ hook_event_name: event, session_id: 's1', cwd: process.cwd(), ...call }))
  let printed = ''
  for await (const chunk of child.stdout) printed += String(chunk)
  if (printed === '') return 'nothing: the rules of Claude Code apply'
  const { permissionDecision, permissionDecisionReason, updatedInput } = JSON.parse(printed).hookSpecificOutput
  return `${permissionDecision}: ${updatedInput ? JSON.stringify(updatedInput) : permissionDecisionReason}`
}

/** The request that a person finds in the inbox. A decision says which version and which call were shown. */
async function held() {
  for (;;) {
    const [request] = (await inbox.requests({ status: 'open' })).requests
    if (request) return { ...request, shown: { version: request.version, digest: request.digest ?? '' } }
    await setTimeout(50)
  }
}

// Reading is free: the hook answers at once.
const read = { tool_name: 'Read', tool_input: { file_path: 'README.md' }, tool_use_id: 'toolu_1' }
console.log('Read →', await hook('PreToolUse', read))

// A command waits for a person.
const publish = { tool_name: 'Bash', tool_input: { command: 'npm publish' }, tool_use_id: 'toolu_2' }
const first = hook('PreToolUse', publish)
const request = await held()

// The agent has a shell, too. Its token does not decide.
const own = createInboxClient({ url: server.url, token: agentToken })
const approval = { ...request.shown, decision: { type: 'approve' } } as const
const refusal = await own.decide(request.id, approval).catch((error) => error)
console.log('approved by the agent itself →', refusal.status)

// The person changes the command. The hook tells Claude Code, which runs it so and reports the end.
const edit = { type: 'edit', args: { command: 'npm publish --dry-run' } } as const
await inbox.decide(request.id, { ...request.shown, decision: edit })
console.log('Bash npm publish →', await first)
await hook('PostToolUse', { ...publish, tool_input: edit.args, tool_response: { stdout: '+ shop@1.2.0' } })
const { entries } = await store.read(request.threadId)
console.log('its end is recorded:', JSON.parse(entries.at(-1)?.body ?? '').status)

// The same call again is a new request: one decision lets one call run.
const again = hook('PreToolUse', { ...publish, tool_use_id: 'toolu_3' })
const next = await held()
const reject = { type: 'reject', message: 'Once is enough.' } as const
await inbox.decide(next.id, { ...next.shown, decision: reject })
console.log('Bash npm publish →', await again)

await server.close()
await store.close()
