import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { gatewayGate } from '../../../src/cli/gate/gateway-gate.ts'
import { type HookAnswer, type HookGate, hostNames } from '../../../src/cli/gate/hook.ts'
import { denial, hookGate, type Known } from '../../../src/cli/gate/hook-gate.ts'
import { hosts } from '../../../src/cli/gate/hosts/find-host.ts'
import { storeGate } from '../../../src/cli/gate/store-gate.ts'
import { definePolicy, type JsonObject, memoryStore, openDesk } from '../../../src/index.ts'
import { inputOf } from './input-of.ts'

/** What a hook answers, as its command would: an error is a denial. */
async function answerOf(gate: HookGate, stdin: string, host = hosts['claude-code']): Promise<HookAnswer> {
  const known: Known = { host, event: 'PreToolUse', isOver: false }
  return hookGate(known, stdin, {
    withGate: (_host, work) => work(gate),
    until: 0,
    signal: new AbortController().signal,
    now: () => 0,
  }).catch((error: Error) => denial(known, error.message))
}

describe('a gateway that does not answer as it should is a denial', () => {
  const odd: Record<string, RequestListener> = {
    'with 500': (_, response) => response.writeHead(500).end('{"detail":"broken"}'),
    'with a page': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>'),
    'with a redirect': (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    'with nothing': (_, response) => response.writeHead(204).end(),
    'with a status that does not exist': (_, response) => response.writeHead(200).end('{"status":"allowed"}'),
    'with a release without arguments': (_, response) => response.writeHead(200).end('{"status":"released"}'),
    'by hanging up': (request) => request.socket.destroy(),
  }
  test.each(Object.entries(odd))('%s', async (_name, listener) => {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    for (const name of hostNames) {
      const gate = gatewayGate({ url, token: 'secret-token', source: name })
      const { stdout, stderr, exitCode } = await answerOf(gate, JSON.stringify(inputOf(`${name}-pre`)), hosts[name])
      expect([stdout.includes('"deny"'), stderr !== '', exitCode]).toEqual([true, true, 0])
      expect(stdout + stderr).not.toContain('secret-token')
    }
  })
})

describe('odd input', () => {
  const held = definePolicy(() => ({ verdict: 'review' }), { name: 'all', version: '1' })
  function scene() {
    const store = memoryStore()
    onTestFinished(() => store.close())
    const gate = storeGate({ store, policies: [held], source: 'claude-code', principal: 'dev', via: ['inbox'] })
    const asked = async () => (await openDesk({ store }).list({ status: 'open' })).requests
    const answer = (more: JsonObject) => answerOf(gate, JSON.stringify(inputOf('claude-code-pre', more)))
    return { gate, asked, answer }
  }

  test.each([
    ['the tool of an MCP server', { tool_name: 'mcp__my_server__send.mail/v2' }],
    ['names and values in any script', { tool_input: { командa: '行\u0000\u0007\u2028"\\' } }],
    [
      'names that JavaScript uses',
      { tool_input: JSON.parse('{"__proto__":{"a":1},"constructor":"x","toString":null}') },
    ],
    ['a megabyte', { tool_input: { content: 'x'.repeat(1_000_000) } }],
  ] as const)('is held as it is: %s', async (_name, more) => {
    const { asked, answer } = scene()
    expect((await answer(more as JsonObject)).stdout).toContain('"deny"')
    const [request] = await asked()
    expect(request).toMatchObject({ toolName: 'tool_name' in more ? more.tool_name : 'Bash' })
    if ('tool_input' in more) expect(JSON.stringify(request?.args) === JSON.stringify(more.tool_input)).toBe(true)
  })

  test.each([
    ['ten megabytes', { tool_input: { content: 'x'.repeat(10_000_000) } }],
    ['a name that is shown as another', { tool_name: 'Bash\u202e' }],
    ['half of a character', { tool_input: { command: '\ud800' } }],
    ['a name that is not a string', { tool_name: ['Bash'] }],
    ['arguments that are not an object', { tool_input: 'rm -rf /' }],
    ['an endless name', { tool_name: 'x'.repeat(100_000) }],
    ['no session', { session_id: '' }],
    ['an event that is not about a call', { hook_event_name: 'Stop' }],
  ] as const)('is denied: %s', async (_name, more) => {
    const { asked, answer } = scene()
    const { stdout, exitCode } = await answer(more as unknown as JsonObject)
    expect([stdout.includes('"deny"'), exitCode, await asked()]).toEqual([true, 0, []])
  })

  test('is denied: deeper than anything', async () => {
    const { gate, asked } = scene()
    const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`
    const stdin = `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":${deep}}`
    const { stdout } = await answerOf(gate, stdin)
    expect([stdout.includes('"deny"'), await asked()]).toEqual([true, []])
  })

  test('a question about a permission is denied in its own form, also if it is not understood', async () => {
    const { gate } = scene()
    const { tool_input: _, ...input } = inputOf('claude-code-permission')
    const { stdout } = await answerOf(gate, JSON.stringify(input))
    expect(JSON.parse(stdout)).toMatchObject({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny' } },
    })
  })
})
