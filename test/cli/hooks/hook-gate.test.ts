import { describe, expect, test } from 'vitest'
import type { HookAnswer, HookGate, HostName } from '../../../src/cli/gate/hook.ts'
import { denial, hookGate, type Known } from '../../../src/cli/gate/hook-gate.ts'
import { hosts } from '../../../src/cli/gate/hosts/find-host.ts'
import { type StoreGateOptions, storeGate } from '../../../src/cli/gate/store-gate.ts'
import {
  type Decision,
  type HitlRequest,
  humanInTheLoop,
  type JsonObject,
  memoryStore,
  openDesk,
} from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { typesOf } from '../../support/stores/entries.ts'
import { until } from '../../support/until.ts'
import { inputOf } from './input-of.ts'

const ann = { kind: 'person', id: 'ann', via: 'inbox' } as const
const shells = { Bash: true, run_shell_command: true, Shell: true, bash: true }

/** Hooks over one store, each as a process of its own would be: with a gate of its own. */
function scene(given: Pick<StoreGateOptions, 'onHandedOver'> = {}) {
  const clock = fakeClock()
  const store = memoryStore(given.onHandedOver ? { clock } : {})
  const desk = openDesk({ store })
  const newGate = (source: string): HookGate =>
    storeGate({
      store,
      ...given,
      policies: [humanInTheLoop({ interruptOn: shells })],
      source,
      principal: 'dev',
      via: ['inbox'],
    })
  const hook = async (host: HostName, input: JsonObject, waitMs = 60_000): Promise<HookAnswer> => {
    const known: Known = { host: hosts[host], event: 'PreToolUse', isOver: false }
    return hookGate(known, JSON.stringify(input), {
      withGate: (found, work) => work(newGate(found.name)),
      until: Date.now() + waitMs,
      signal: new AbortController().signal,
      now: Date.now,
    })
  }
  const open = async (count = 1): Promise<HitlRequest[]> => {
    let found: HitlRequest[] = []
    await until(async () => {
      found = (await desk.list({ status: 'open' })).requests
      return found.length >= count
    })
    expect(found).toHaveLength(count)
    return found
  }
  const decide = async (decision: Decision): Promise<void> => {
    const [request] = await open()
    await desk.decide({ request: request!, decision, by: ann })
  }
  return { store, clock, desk, hook, open, decide }
}

const said = ({ stdout }: HookAnswer): string => stdout

describe.each(['claude-code', 'codex', 'gemini', 'cursor', 'copilot'] as const)('a hook of %s', (host) => {
  const pre = inputOf(`${host}-pre`)

  test('waits for a person, and lets an approved call run', async () => {
    const { hook, decide, desk } = scene()
    const answer = hook(host, pre)
    await decide({ type: 'approve' })
    expect(said(await answer)).not.toContain('deny')
    expect((await answer).exitCode).toBe(0)
    await hook(host, inputOf(`${host}-post`))
    const [request] = (await desk.list()).requests
    expect(request).toMatchObject({ via: ['inbox'], agent: host })
  })

  test('denies a rejected call with the words of the person', async () => {
    const { hook, decide } = scene()
    const answer = hook(host, pre)
    await decide({ type: 'reject', message: 'not on Friday' })
    expect(said(await answer)).toContain('deny')
    expect(said(await answer)).toContain('not on Friday')
  })

  test('denies a call that nobody decided in time, and the same call made again finds the decision', async () => {
    const { hook, decide, open, desk } = scene()
    const first = await hook(host, pre, 0)
    const [request] = await open()
    expect(said(first)).toContain('deny')
    expect(said(first)).toContain(request!.id)
    await decide({ type: 'approve' })
    // The model makes the call again: hosts give it another id.
    const again = 'tool_use_id' in pre ? { ...pre, tool_use_id: 'another' } : pre
    expect(said(await hook(host, again))).not.toContain('deny')
    expect((await desk.list()).requests).toHaveLength(1)
  })

  test('one approval lets one call run: an equal call is asked about again', async () => {
    const { hook, decide, open } = scene()
    const first = hook(host, pre)
    await decide({ type: 'approve' })
    expect(said(await first)).not.toContain('deny')
    const second = await hook(host, pre, 0)
    expect(said(second)).toContain('deny')
    expect(said(second)).toContain((await open())[0]!.id)
  })

  test('waits for the question about a call without an end that is made again, and tells the answer', async () => {
    const { hook, decide, open, clock } = scene({ onHandedOver: { askAfterSeconds: 60 } })
    const first = hook(host, pre)
    await decide({ type: 'approve' })
    expect(said(await first)).not.toContain('deny')
    clock.advance(60_000)
    const tooEarly = await hook(host, pre, 0)
    const [question] = await open()
    expect(question).toMatchObject({ reason: 'unknown_outcome' })
    expect(said(tooEarly)).toContain('deny')
    expect(said(tooEarly)).toContain(question!.id)
    const again = hook(host, pre)
    await decide({ type: 'respond', message: 'It was published.' })
    expect(said(await again)).toContain('It was published.')
    expect(said(await again)).toContain('deny')
  })
})

test('an edit runs edited where the host can, and is told to the model where it cannot', async () => {
  const edit = { type: 'edit', args: { command: 'npm pack' } } as const
  for (const host of ['claude-code', 'codex'] as const) {
    const { hook, decide } = scene()
    const answer = hook(host, inputOf(`${host}-pre`))
    await decide(edit)
    expect(JSON.parse(said(await answer))).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { command: 'npm pack' } },
    })
  }
  for (const [host, input] of [
    ['cursor', 'cursor-shell'],
    ['copilot', 'copilot-pre'],
    // The description was taken away, and Gemini CLI would keep it.
    ['gemini', 'gemini-pre'],
  ] as const) {
    const { hook, decide } = scene()
    const answer = hook(host, inputOf(input))
    await decide(edit)
    expect(said(await answer)).toContain('deny')
    expect(said(await answer)).toContain('npm pack')
  }
})

describe.each([
  // Gemini CLI merges, so the description is sent, too.
  ['claude-code', { command: 'npm pack' }],
  ['codex', { command: 'npm pack' }],
  ['gemini', { command: 'npm pack', description: 'Publish the package' }],
  ['cursor', { command: 'npm pack', working_directory: '/home/dev/shop' }],
] as const)('after an edit, %s reports the end of the call', (host, args) => {
  test.each(['as it was edited', 'as the model made it'])('%s, and it is recorded', async (told) => {
    const { hook, decide, store } = scene()
    const answer = hook(host, inputOf(`${host}-pre`))
    await decide({ type: 'edit', args })
    expect(said(await answer)).not.toContain('deny')
    const post = inputOf(`${host}-post`)
    await hook(host, told === 'as it was edited' ? { ...post, tool_input: args } : post)
    const { threads } = await store.threads()
    expect(threads).toHaveLength(1)
    expect(await typesOf(store, threads[0]!.threadId)).toEqual(expect.arrayContaining(['call.finished', 'run.settled']))
  })
})

test('free calls run side by side, each recorded', async () => {
  const { hook, desk, store } = scene()
  const input = inputOf('claude-code-pre', { tool_name: 'Read', tool_input: { file_path: '/home/dev/shop/a.ts' } })
  const answers = await Promise.all(Array.from({ length: 5 }, () => hook('claude-code', input)))
  expect(answers.map(said)).toEqual(['', '', '', '', ''])
  expect((await store.threads()).threads).toHaveLength(5)
  expect((await desk.list()).requests).toEqual([])
})

test('two equal calls at once need two approvals', async () => {
  const { hook, decide, desk } = scene()
  const answers = [hook('claude-code', inputOf('claude-code-pre')), hook('claude-code', inputOf('claude-code-pre'))]
  await decide({ type: 'approve' })
  await until(async () => (await desk.list({ status: 'open' })).requests.length === 1)
  await decide({ type: 'approve' })
  for (const answer of answers) expect(said(await answer)).toContain('allow')
  expect((await desk.list()).requests).toHaveLength(2)
})

test('the end of a call is recorded as the host tells it; without one it stays handed over', async () => {
  const { hook, decide, store } = scene()
  for (const [command, post] of [
    ['npm publish', 'claude-code-post'],
    ['npm test', undefined],
  ] as const) {
    const input = { command, description: 'Publish the package' }
    const answer = hook('claude-code', inputOf('claude-code-pre', { tool_input: input }))
    await decide({ type: 'approve' })
    await answer
    if (post) await hook('claude-code', inputOf(post, { tool_input: input }))
  }
  const { threads } = await store.threads()
  const kinds = await Promise.all(threads.map(({ threadId }) => typesOf(store, threadId)))
  expect(kinds.map((types) => types.includes('call.started'))).toEqual([true, true])
  expect(kinds.map((types) => types.includes('call.finished')).sort()).toEqual([false, true])
})

test('input that is not understood is a denial in the form of the host, or exit code 2 without one', async () => {
  const run = async (host: HostName | undefined, stdin: string): Promise<HookAnswer> => {
    const known: Known = { host: host && hosts[host], event: 'PreToolUse', isOver: false }
    const options = {
      withGate: () => Promise.reject(new Error('unused')),
      until: 0,
      signal: AbortSignal.timeout(9e5),
      now: Date.now,
    }
    return hookGate(known, stdin, options).catch((error: Error) => denial(known, error.message))
  }
  for (const stdin of ['', '{', '[]', '"x"', '{}', '{"hook_event_name":"PreToolUse"}']) {
    for (const host of ['claude-code', 'codex', 'gemini', 'cursor', 'copilot'] as const) {
      const { stdout, exitCode, stderr } = await run(host, stdin)
      expect([stdout.includes('"deny"'), exitCode, stderr !== '']).toEqual([true, 0, true])
    }
    expect(await run(undefined, stdin)).toMatchObject({
      stdout: '',
      exitCode: 2,
      stderr: expect.stringContaining('not'),
    })
  }
})
