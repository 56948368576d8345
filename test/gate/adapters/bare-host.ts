import { createGate, type ForeignCall, type Gate, type GateState } from '../../../src/gate.ts'
import { HoldpointError, humanInTheLoop, type JsonObject, type JsonValue } from '../../../src/index.ts'
import type {
  AdapterHarness,
  AdapterHost,
  HostAnswer,
  HostCall,
  HostCallState,
  HostSetup,
} from '../../../src/testing.ts'

/** What this host keeps between question and answer. */
interface Saved {
  calls: SavedCall[]
}

/** A call, and whether this host's own storage says that it was approved. Sound hosts do not trust that. */
export type SavedCall = HostCall & { approved?: true }

export interface BareHost {
  readonly gate: Gate
  readonly setup: HostSetup
}

interface JudgedCall {
  readonly call: SavedCall
  readonly foreign: ForeignCall
  readonly state: GateState
}

/** How a bare host asks the gate. Tests break one of them at a time. */
export interface BareParts {
  /** How people answer at the host. */
  answers: NonNullable<AdapterHarness['answers']> | undefined
  gateOf(setup: HostSetup): Gate
  toForeign(setup: HostSetup, call: HostCall): ForeignCall
  /** What becomes of a call with this state. */
  settle(host: BareHost, call: JudgedCall): Promise<HostCallState>
  judge(gate: Gate, calls: ForeignCall[]): Promise<GateState[]>
  answer(gate: Gate, state: GateState, given: { answer: HostAnswer; setup: HostSetup }): Promise<void>
}

export const soundParts: BareParts = {
  answers: ['approve', 'edit', 'reject', 'respond'],
  gateOf: ({ store, held }) =>
    createGate({
      store,
      source: 'bare',
      policy: humanInTheLoop({ interruptOn: Object.fromEntries(held.map((name) => [name, true])) }),
      holdSeconds: 0,
    }),
  toForeign: ({ conversation }, { id, toolName, args }) => ({ threadId: conversation, callId: id, toolName, args }),
  judge: (gate, calls) => gate.judge(calls),
  settle: async ({ gate, setup }, { call, foreign, state }) => {
    const { id } = call
    switch (state.status) {
      case 'held':
        return { id, status: 'waiting' }
      case 'unknown':
        return state.request ? { id, status: 'waiting' } : { id, status: 'refused', message: 'It runs elsewhere.' }
      case 'refused':
        return state.isError
          ? { id, status: 'refused', message: state.message }
          : { id, status: 'done', result: state.message }
      case 'free':
      case 'released':
      case 'finished':
        return { id, status: 'done', result: await gate.execute(foreign, toolOf(setup, call)) }
      default:
        return state satisfies never
    }
  },
  answer: async (gate, state, { answer, setup }) => {
    if (state.status !== 'held') return
    try {
      await gate.decide(state.request, answer.decision, { by: setup.reviewer })
    } catch (error) {
      // Somebody else was faster: what they decided counts.
      if (!HoldpointError.isInstance(error) || error.code === 'store_failed') throw error
    }
  },
}

/** The function of a call's tool. */
export function toolOf({ tools }: HostSetup, { toolName }: HostCall): (args: JsonObject) => Promise<JsonValue> {
  const tool = tools.find(({ name }) => name === toolName)
  if (!tool) throw new Error(`no tool ${toolName}`)
  return (args) => tool.run(args)
}

/** A host that has nothing between its calls and the gate. */
export function bareHarness(changed: Partial<BareParts> = {}): AdapterHarness {
  const parts = { ...soundParts, ...changed }
  const { answers } = parts
  return { start: async (setup) => startHost(parts, setup), ...(answers ? { answers } : {}) }
}

function startHost(parts: BareParts, setup: HostSetup): AdapterHost {
  const gate = parts.gateOf(setup)

  async function go({ calls }: Saved, answers: readonly HostAnswer[] = []) {
    const foreign = calls.map((call) => parts.toForeign(setup, call))
    let states = await parts.judge(gate, foreign)
    for (const answer of answers) {
      const index = calls.findIndex(({ id }) => id === answer.callId)
      await parts.answer(gate, states[index]!, { answer, setup })
    }
    if (answers.length > 0) states = await parts.judge(gate, foreign)
    const ended = await Promise.all(
      calls.map((call, index) =>
        parts
          .settle({ gate, setup }, { call, foreign: foreign[index]!, state: states[index]! })
          .catch((error: unknown): HostCallState => ({ id: call.id, status: 'refused', message: String(error) })),
      ),
    )
    // Without an id, a call that ended cannot be told from a new one.
    const left = calls.filter((_, index) => foreign[index]?.callId !== undefined || ended[index]?.status === 'waiting')
    return { calls: ended, saved: { calls: left } as unknown as JsonValue }
  }

  return {
    call: (calls) => go({ calls: [...calls] }),
    resume: (saved, answers) => go(saved as unknown as Saved, answers),
    tamper(saved, callId, args) {
      const { calls } = saved as unknown as Saved
      return { calls: calls.map((call) => (call.id === callId ? { ...call, args } : call)) } as unknown as JsonValue
    },
    forge: (calls) => ({ calls: calls.map((call) => ({ ...call, approved: true })) }) as unknown as JsonValue,
  }
}
