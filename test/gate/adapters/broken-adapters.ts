import { randomUUID } from 'node:crypto'
import { createGate } from '../../../src/gate.ts'
import { humanInTheLoop, type JsonValue, type Store } from '../../../src/index.ts'
import type { AdapterHarness, AdapterHost, HostCallState } from '../../../src/testing.ts'
import { type BareHost, type BareParts, bareHarness, type SavedCall, soundParts, toolOf } from './bare-host.ts'

/** An adapter with one defect, and cases that must fail because of it. */
export interface BrokenAdapter {
  readonly name: string
  readonly rejectedBy: readonly string[]
  readonly harness: AdapterHarness
}

/** Runs a tool past the gate. */
async function runPast({ setup }: BareHost, call: SavedCall, args = call.args): Promise<HostCallState> {
  return { id: call.id, status: 'done', result: await toolOf(setup, call)(args) }
}

/** Spends the release of a call, and runs the arguments that the host has in hand. */
const runWhatTheHostSays: BareParts['settle'] = async (host, judged) => {
  const { call, foreign, state } = judged
  if (state.status !== 'released') return soundParts.settle(host, judged)
  const result = await host.gate.execute(foreign, () => toolOf(host.setup, call)(call.args))
  return { id: call.id, status: 'done', result }
}

/** What a broken adapter remembers for each store. */
function memory<T>(): (store: Store) => Map<string, T> {
  const known = new WeakMap<Store, Map<string, T>>()
  return (store) => {
    const map = known.get(store) ?? new Map<string, T>()
    known.set(store, map)
    return map
  }
}

const [ran, ended] = [memory<JsonValue>(), memory<HostCallState>()]

/** Defects of adapters, one for each guarantee of the suite. */
export const brokenAdapters: readonly BrokenAdapter[] = [
  {
    name: 'judges calls and runs their tools itself',
    rejectedBy: [
      'an approved call runs once, however often its conversation is resumed',
      'an approval that is given at the host twice has one effect',
    ],
    harness: bareHarness({
      settle: (host, judged) => {
        const { state, call } = judged
        return state.status === 'released' ? runPast(host, call, state.args) : soundParts.settle(host, judged)
      },
    }),
  },
  {
    name: 'identifies a call by its id alone and runs what the host says now',
    rejectedBy: ['arguments that were changed after the approval do not run'],
    harness: bareHarness({
      toForeign: (setup, call) => ({ ...soundParts.toForeign(setup, call), args: {} }),
      settle: runWhatTheHostSays,
    }),
  },
  {
    name: 'trusts what the host saved about approvals',
    rejectedBy: ['a call that was invented in what the host saved does not run'],
    harness: bareHarness({
      settle: (host, judged) => (judged.call.approved ? runPast(host, judged.call) : soundParts.settle(host, judged)),
    }),
  },
  {
    name: 'makes a new id for a call each time it is asked about',
    rejectedBy: ['a conversation that is resumed before the decision waits on, and nobody is asked twice'],
    harness: bareHarness({
      toForeign: (setup, call) => ({ ...soundParts.toForeign(setup, call), callId: randomUUID() }),
    }),
  },
  {
    name: 'does not tell the model what people said',
    rejectedBy: [
      'a rejection elsewhere is what the model reads, and nothing runs',
      'an answer in place of the call is what the model reads, and nothing runs',
    ],
    harness: bareHarness({
      settle: async (host, judged) => {
        const { id } = judged.call
        if (judged.state.status === 'refused') return { id, status: 'refused', message: 'Denied.' }
        return soundParts.settle(host, judged)
      },
    }),
  },
  {
    name: 'looks whether a call ran, and then runs it',
    rejectedBy: ['of two processes that resume at the same time, one runs the call'],
    harness: bareHarness({
      settle: async (host, judged) => {
        const { call, state } = judged
        if (state.status !== 'released') return soundParts.settle(host, judged)
        const results = ran(host.setup.store)
        const known = results.get(call.id)
        if (known !== undefined) return { id: call.id, status: 'done', result: known }
        await host.gate.state(judged.foreign)
        const done = await runPast(host, call, state.args)
        if (done.status === 'done') results.set(call.id, done.result)
        return done
      },
    }),
  },
  {
    name: 'runs a call again whose process died',
    rejectedBy: ['a call whose process died after the effect is not run again, and a person is asked what happened'],
    harness: bareHarness({
      gateOf: ({ store, held }) =>
        createGate({
          store,
          source: 'bare',
          policy: humanInTheLoop({ interruptOn: Object.fromEntries(held.map((name) => [name, true])) }),
          onUnknownOutcome: 'retry',
        }),
    }),
  },
  {
    name: 'runs the arguments of the model after an edit',
    rejectedBy: [
      'an edit elsewhere runs with the edited arguments, once',
      'an edit at the host runs with the edited arguments, once',
    ],
    harness: bareHarness({
      settle: runWhatTheHostSays,
    }),
  },
  {
    name: 'keeps results by call id',
    rejectedBy: ['a call id that is used again with other arguments is another call'],
    harness: bareHarness({
      settle: async (host, judged) => {
        const results = ended(host.setup.store)
        const known = results.get(judged.call.id)
        if (known) return known
        const state = await soundParts.settle(host, judged)
        if (state.status === 'done') results.set(judged.call.id, state)
        return state
      },
    }),
  },
  {
    name: 'takes equal calls of one message for one',
    rejectedBy: [
      'two equal calls of one message are two requests and two effects',
      'of two equal calls of which one is approved, one runs',
    ],
    harness: bareHarness({
      toForeign: (setup, call) => ({ ...soundParts.toForeign(setup, call), callId: JSON.stringify(call.args) }),
    }),
  },
  {
    name: 'runs calls while the store is down',
    rejectedBy: [
      'nothing runs while the store is down, not even a call that needs no person',
      'an approval that cannot be spent has no effect, and counts when the store is back',
    ],
    harness: bareHarness({
      judge: (gate, calls) =>
        gate.judge(calls).catch(() => calls.map(() => ({ status: 'refused', message: 'open', isError: true }))),
      settle: (host, judged) => {
        const { state, call } = judged
        const isOpen = state.status === 'refused' && state.message === 'open'
        return isOpen ? runPast(host, call) : soundParts.settle(host, judged)
      },
    }),
  },
  {
    name: 'asks about every call',
    rejectedBy: ['a call that needs no person runs at once, and once'],
    harness: bareHarness({
      gateOf: (setup) => soundParts.gateOf({ ...setup, held: setup.tools.map(({ name }) => name) }),
    }),
  },
  {
    name: 'decides in a name of its own',
    rejectedBy: ['a decision at the host is recorded under the name of its verified person'],
    harness: bareHarness({
      answer: (gate, state, { answer, setup }) =>
        soundParts.answer(gate, state, { answer, setup: { ...setup, reviewer: { kind: 'person', id: 'the-host' } } }),
    }),
  },
  {
    name: 'has a harness that forges nothing',
    rejectedBy: ['a forged conversation is one that the host believes: a call in it that the gate has released runs'],
    harness: withHost({ forge: () => ({ calls: [] }) }),
  },
  {
    name: 'has a harness that destroys what it should change',
    rejectedBy: ['arguments that were changed after the approval do not run'],
    harness: withHost({ tamper: () => 'destroyed' }),
  },
]

/** A sound host whose harness is broken: its cases would pass without checking anything. */
function withHost(broken: Partial<AdapterHost>): AdapterHarness {
  const sound = bareHarness()
  return { ...sound, start: async (setup) => ({ ...(await sound.start(setup)), ...broken }) }
}
