import { expect, test } from 'vitest'
import { RunState, run } from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import {
  AgentMismatch,
  StateInvalid,
  StateSignatureInvalid,
  ThreadIdInvalid,
} from '../../src/protocol/errors/errors.ts'
import { refused } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { shuffleKeys } from './shuffle-keys.ts'

async function pausedText() {
  const [pay, look] = [gated('pay'), free('look')]
  const { agent, model } = scripted([calls(['a', 'pay', { to: 'ünïcødé 😀' }], ['b', 'look']), 'Done.'], [pay, look])
  const paused = await run(agent, 'go', { context: { user: 'ann' }, threadId: 't/1' })
  return { pay, look, agent, model, paused, text: paused.state.toString() }
}

/** The text with one thing changed. */
function altered(
  text: string,
  change: (state: { [key: string]: never } & { entries: [number, Record<string, unknown>][] }) => void,
) {
  const state = JSON.parse(text) as never
  change(state)
  return JSON.stringify(state)
}

test('a state goes through text and resumes in a process that has only the agent', async () => {
  const { pay, look, agent, model, paused, text } = await pausedText()
  const restored = await RunState.fromString(agent, text)
  expect(restored.interruptions).toEqual(paused.interruptions)
  expect(restored.messages).toEqual(paused.state.messages)
  expect(restored.usage).toEqual(paused.usage)
  expect([restored.threadId, restored.runId, restored.status]).toEqual([paused.threadId, paused.runId, 'open'])
  expect(restored.toString()).toBe(text)
  await restored.approve(only(paused))
  const result = await run(agent, await RunState.fromString(agent, restored.toString()))
  expect(result).toMatchObject({ status: 'completed', finalOutput: 'Done.', threadId: 't/1' })
  expect([pay.runs.length, look.runs.length]).toEqual([1, 1])
  expect(pay.runs[0]?.ctx.context).toEqual({ user: 'ann' })
  expect(resultsIn(model.requests[1]?.messages)).toEqual([
    ['a', 'pay done'],
    ['b', 'look done'],
  ])
})

test('layout and order of keys do not matter', async () => {
  const { agent, paused, text } = await pausedText()
  for (const form of [
    JSON.stringify(paused.state),
    JSON.stringify(paused.state, null, 2),
    shuffleKeys(text),
    `\n ${text}\n`,
  ]) {
    const restored = await RunState.fromString(agent, form)
    expect(restored.interruptions).toEqual(paused.interruptions)
    await restored.approve(restored.interruptions[0]!)
  }
})

test('the text grows by what happened, not by what was said before', async () => {
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [gated('pay')])
  const paused = await run(agent, 'x'.repeat(10_000))
  const before = paused.state.toString().length
  await paused.state.approve('a')
  expect(paused.state.toString().length - before).toBeLessThan(1_000)
  expect(paused.state.toString().split('x'.repeat(10_000))).toHaveLength(2)
})

test('a finished state goes through text too, and is not driven again', async () => {
  const { agent, model } = scripted(['Done.'])
  const { state } = await run(agent, 'go')
  const result = await run(agent, await RunState.fromString(agent, state.toString()))
  expect(result).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
  expect(model.requests).toHaveLength(1)
})

test('a text is a copy: restoring it twice decides twice, and neither sees the other', async () => {
  const { agent, text, paused } = await pausedText()
  const [one, two] = [await RunState.fromString(agent, text), await RunState.fromString(agent, text)]
  await one.approve(only(paused), { by: 'ann' })
  await two.reject(only(paused), { by: 'bob' })
  expect(one.interruptions).toEqual(two.interruptions)
})

test('what is not a state text is refused with the reason', async () => {
  const { agent, text } = await pausedText()
  const cases: [unknown, RegExp][] = [
    ['not json', /not JSON/],
    ['', /not JSON/],
    [text.slice(0, -5), /not JSON/],
    ['null', /not an object/],
    ['[]', /kind/],
    ['{}', /kind/],
    [altered(text, (state) => Object.assign(state, { v: 2 })), /version 2/],
    [altered(text, (state) => Object.assign(state, { kind: 'other' })), /kind/],
    [altered(text, (state) => Object.assign(state, { entries: {} })), /damaged/],
    [altered(text, (state) => Object.assign(state, { tenant: '' })), /damaged/],
    [altered(text, (state) => Object.assign(state, { entries: [] })), /no run/],
    [altered(text, (state) => Object.assign(state.entries[0]!, { 0: 1e300 })), /damaged/],
    [undefined, /must be a string/],
    [{}, /must be a string/],
  ]
  for (const [value, why] of cases) {
    const error = await refused(RunState.fromString(agent, value as string), StateInvalid, 'state_invalid')
    expect(error.message).toMatch(why)
  }
})

test('an entry of an unknown type, a newer version or a wrong shape is refused, never skipped', async () => {
  const { agent, text } = await pausedText()
  const last = (change: Record<string, unknown>) =>
    altered(text, (state) => Object.assign(state.entries.at(-1)![1], change))
  await refused(RunState.fromString(agent, last({ type: 'call.teleported' })), StateInvalid, 'state_invalid')
  await refused(RunState.fromString(agent, last({ v: 2 })), StateInvalid, 'state_invalid')
  await refused(RunState.fromString(agent, last({ call: 7 })), StateInvalid, 'state_invalid')
  await refused(
    RunState.fromString(
      agent,
      altered(text, (state) => Object.assign(state, { threadId: 'a b' })),
    ),
    ThreadIdInvalid,
    'thread_id_invalid',
  )
})

test('entries that contradict one another are refused', async () => {
  const { agent, paused } = await pausedText()
  await paused.state.approve('a')
  const text = paused.state.toString()
  const types = (JSON.parse(text) as { entries: [number, { type: string }][] }).entries.map(([, { type }]) => type)
  const find = (type: string) => {
    const at = types.indexOf(type)
    expect(at).toBeGreaterThan(-1)
    return at
  }
  const twice = (type: string) =>
    altered(text, (state) => state.entries.splice(find(type), 0, state.entries[find(type)]!))
  const without = (type: string) => altered(text, (state) => state.entries.splice(find(type), 1))
  const stories = {
    ...Object.fromEntries(
      [
        'run.opened',
        'model.answered',
        'call.judged',
        'request.opened',
        'request.decided',
        'call.released',
        'call.started',
        'call.finished',
      ].map((type) => [`${type} twice`, twice(type)]),
    ),
    ...Object.fromEntries(
      ['run.opened', 'model.answered', 'call.judged', 'request.opened', 'request.decided', 'call.started'].map(
        (type) => [`no ${type}`, without(type)],
      ),
    ),
    'another attempt': altered(text, (state) =>
      Object.assign(state.entries[find('call.finished')]![1], { attempt: 2 }),
    ),
    'another version': altered(text, (state) =>
      Object.assign(state.entries[find('request.decided')]![1], { version: 7 }),
    ),
    'another request': altered(text, (state) =>
      Object.assign(state.entries[find('request.decided')]![1], { id: 'nope' }),
    ),
    'a rejection that releases': altered(text, (state) =>
      Object.assign(state.entries[find('request.decided')]![1], { decision: { type: 'reject' } }),
    ),
  }
  for (const [story, told] of Object.entries(stories)) {
    const outcome = await RunState.fromString(agent, told).then(
      () => 'accepted',
      (error: { code?: string }) => error.code,
    )
    expect([story, outcome]).toEqual([story, 'state_invalid'])
  }
})

test('a state of another agent is refused, and an id outlives a rename', async () => {
  const { agent, text } = await pausedText()
  const { agent: other } = scripted([], [], { name: 'other' })
  const error = await refused(RunState.fromString(other, text), AgentMismatch, 'agent_mismatch')
  expect(error).toMatchObject({ expected: 'clerk', actual: 'other' })
  const { agent: renamed } = scripted([], agent.tools, { id: 'clerk', name: 'new name' })
  await expect(RunState.fromString(renamed, text)).resolves.toBeInstanceOf(RunState)
})

const key = { id: 'k1', secret: 'one' }
const newer = { id: 'k2', secret: 'two' }

test('a signed text is accepted with its key in any layout, also after the keys were rotated', async () => {
  const { agent, paused } = await pausedText()
  const text = paused.state.toString({ signingKeys: [key] })
  for (const form of [text, shuffleKeys(text)]) {
    for (const signingKeys of [[key], [newer, key]]) {
      const restored = await RunState.fromString(agent, form, { signingKeys })
      expect(restored.interruptions).toEqual(paused.interruptions)
      expect(JSON.parse(restored.toString({ signingKeys }))).toMatchObject({ signature: { key: signingKeys[0]!.id } })
    }
  }
  await expect(RunState.fromString(agent, text)).resolves.toBeInstanceOf(RunState)
})

test('an unsigned, changed or foreign text is refused when keys are set', async () => {
  const { agent, paused, text } = await pausedText()
  const signed = paused.state.toString({ signingKeys: [key] })
  const forged = [
    text,
    altered(signed, (state) => Object.assign(state, { threadId: 'other' })),
    altered(signed, (state) => Object.assign(state.entries[0]![1], { context: { user: 'root' } })),
    altered(signed, (state) => state.entries.pop()),
    altered(signed, (state) => Object.assign(state, { extra: 1 })),
    altered(signed, (state) => Object.assign(state, { signature: { key: 'k1', mac: '00' } })),
    altered(signed, (state) => Object.assign(state, { signature: { key: 'k1' } })),
    altered(signed, (state) => Object.assign(state, { signature: null })),
    paused.state.toString({ signingKeys: [newer] }),
    paused.state.toString({ signingKeys: [{ id: 'k1', secret: 'guess' }] }),
    'null',
    '"text"',
  ]
  for (const value of forged) {
    await refused(
      RunState.fromString(agent, value, { signingKeys: [key] }),
      StateSignatureInvalid,
      'state_signature_invalid',
    )
  }
})

test('an empty list of keys, or a key without a secret, is a mistake and not a way around signatures', async () => {
  const { agent, paused, text } = await pausedText()
  for (const signingKeys of [[], [{ id: 'k1', secret: '' }], [{ id: '', secret: 'one' }], [{ id: 'k1' } as never]]) {
    await refused(RunState.fromString(agent, text, { signingKeys }), InputInvalid, 'input_invalid')
    expect(() => paused.state.toString({ signingKeys })).toThrow(InputInvalid)
  }
})

test('whatever a model or a tool says can be signed', async () => {
  const broken = 'half \ud83d of a pair'
  const fail = free('fail', {
    execute() {
      throw new Error(broken)
    },
  })
  const { agent } = scripted(
    [
      {
        text: broken,
        toolCalls: [
          { id: 'a', name: 'fail', args: {} },
          { id: 'b', name: 'fail', argsText: `{"x": "${broken}` },
        ],
      },
      calls(['c\ud83d', 'pay']),
    ],
    [fail, gated('pay')],
  )
  const paused = await run(agent, 'go')
  const text = paused.state.toString({ signingKeys: [key] })
  const restored = await RunState.fromString(agent, text, { signingKeys: [key] })
  expect(restored.interruptions).toEqual(paused.interruptions)
})
