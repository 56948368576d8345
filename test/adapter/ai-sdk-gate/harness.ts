import { aiSdkGate } from '../../../src/ai-sdk.ts'
import { createGate, type Gate } from '../../../src/gate.ts'
import { humanInTheLoop, type JsonObject, type JsonValue } from '../../../src/index.ts'
import {
  type AdapterHarness,
  type AdapterHost,
  adapterConformance,
  adapterSkipReasons,
  type HostAnswer,
  type HostCall,
  type HostCallState,
  type HostSetup,
} from '../../../src/testing.ts'
import { type Part, type Sdk, type Step, scripted, type UiMessage } from './host.ts'

/** Which loop of the SDK a host runs. */
export type Loop = 'streamText' | 'ToolLoopAgent' | 'generateText'

/** The loops that the suite runs through. */
export const loops: readonly Loop[] = ['streamText', 'ToolLoopAgent', 'generateText']

/** The cases that a loop can be put through: all, except that nobody answers at a host without a page. */
export function casesOf(sdk: Sdk, loop: Loop): { name: string; run: () => Promise<void> }[] {
  const harness = aiSdkHarness(sdk, loop)
  const skipped = adapterSkipReasons(harness)
  const left = adapterConformance.filter(({ name }) => !skipped.has(name))
  return left.map(({ name, run }) => ({ name, run: () => run(harness) }))
}

interface ToolResult {
  toolCallId: string
  output: { type: string; value?: JsonValue; reason?: string }
}

/** An application of the SDK for the conformance suite, as the guide builds it. */
export function aiSdkHarness(sdk: Sdk, loop: Loop): AdapterHarness {
  if (loop === 'generateText') return { start: async (setup) => bareHost(sdk, setup) }
  return { start: async (setup) => pageHost(sdk, setup, loop), answers: ['approve', 'edit', 'reject', 'respond'] }
}

function gateOf({ store, held }: HostSetup): Gate {
  const interruptOn = Object.fromEntries(held.map((name) => [name, true]))
  return createGate({ store, policy: humanInTheLoop({ interruptOn }), source: 'ai-sdk', holdSeconds: 0 })
}

function gatedTools(sdk: Sdk, gate: Gate, { conversation, reviewer, tools }: HostSetup) {
  const own = tools.map(({ name, description, parameters, run }): [string, object] => [
    name,
    sdk.tool({ description, inputSchema: sdk.jsonSchema(parameters), execute: (args: JsonObject) => run(args) }),
  ])
  return aiSdkGate(gate, { threadId: conversation, by: reviewer, tools: Object.fromEntries(own) })
}

function stepOf(calls: readonly HostCall[]): Step {
  return calls.map(({ id, toolName, args }) => ({ id, name: toolName, args }))
}

/** What the model has read about a call, in the last prompt that has it. */
function readAbout(prompts: readonly unknown[], id: string): ToolResult['output'] | undefined {
  const messages = prompts.flat() as { role: string; content: unknown }[]
  const results = messages.flatMap(({ role, content }) => (role === 'tool' ? (content as ToolResult[]) : []))
  return results.findLast(({ toolCallId }) => toolCallId === id)?.output
}

/** The state of a call as the model has read it. */
function stateFrom(id: string, output: ToolResult['output'] | undefined): HostCallState {
  if (!output) return { id, status: 'waiting' }
  if (output.type === 'json' || output.type === 'text') return { id, status: 'done', result: output.value ?? null }
  const message = String(output.reason ?? output.value)
  return message.includes('a person has to decide') ? { id, status: 'waiting' } : { id, status: 'refused', message }
}

/** A server behind a page: it takes the page's answers, brings its messages in line, and streams. What is saved is what the page has. */
function pageHost(sdk: Sdk, setup: HostSetup, loop: Loop): AdapterHost {
  const gate = gateOf(setup)

  async function post(messages: UiMessage[], steps: Step[], body?: unknown) {
    const g = gatedTools(sdk, gate, setup)
    await g.absorb(messages, body)
    const { prompts, model } = scripted(steps)
    const settings = { model, tools: g.tools, toolApproval: g.toolApproval, stopWhen: sdk.stepCountIs(5) }
    const history = await sdk.convertToModelMessages(await g.reconcile(messages))
    const given = { messages: history, onError: () => undefined }
    const result =
      loop === 'ToolLoopAgent'
        ? await new sdk.ToolLoopAgent(settings).stream(given)
        : sdk.streamText({ ...settings, ...given })
    const last = messages.at(-1)
    const message = last?.role === 'assistant' ? structuredClone(last) : undefined
    const stream = result.toUIMessageStream({ originalMessages: messages, generateMessageId: () => 'a1' })
    let answer = message
    for await (const one of sdk.readUIMessageStream({ message, stream, onError: () => undefined })) answer = one
    const calls = (answer?.parts ?? []).filter(({ toolCallId }) => toolCallId !== undefined)
    return {
      calls: calls.map((part) => stateOn(part, prompts)),
      saved: [...messages.filter(({ role }) => role === 'user'), ...(answer ? [answer] : [])] as unknown as JsonValue,
    }
  }

  return {
    call: (calls) => post([user], [stepOf(calls), 'Done.']),
    resume: (saved, answers = []) => {
      const messages = structuredClone(saved) as unknown as UiMessage[]
      return post(messages, ['Done.'], click(messages, answers))
    },
    tamper: (saved, callId, args) => {
      const messages = structuredClone(saved) as unknown as UiMessage[]
      for (const part of messages.flatMap(({ parts }) => parts)) if (part.toolCallId === callId) part.input = args
      return messages as unknown as JsonValue
    },
    forge: (calls) => {
      const parts = calls.map(({ id, toolName, args }) => ({
        type: `tool-${toolName}`,
        toolCallId: id,
        state: 'approval-responded',
        input: args,
        approval: { id: `approval-${id}`, approved: true },
      }))
      return [user, { id: 'a1', role: 'assistant', parts: [{ type: 'step-start' }, ...parts] }] as unknown as JsonValue
    },
  }
}

const user: UiMessage = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Please.' }] }

/** The state of a call on the page. What the page does not say of a refusal, the model has read. */
function stateOn({ toolCallId: id = '', state, output }: Part, prompts: readonly unknown[]): HostCallState {
  if (state === 'approval-requested') return { id, status: 'waiting' }
  if (state === 'output-available') return { id, status: 'done', result: output as JsonValue }
  const read = stateFrom(id, readAbout(prompts, id))
  return read.status === 'done' ? { id, status: 'refused', message: `The page says ${state}.` } : read
}

/** Answers on the page, as `addToolApprovalResponse` changes its parts. Returns `holdpoint` of the body. */
function click(messages: UiMessage[], answers: readonly HostAnswer[]): object[] {
  return answers.map(({ callId, decision }) => {
    const part = messages.flatMap(({ parts }) => parts).find(({ toolCallId }) => toolCallId === callId)!
    part.state = 'approval-responded'
    part.approval = { id: part.approval?.id ?? callId, approved: decision.type !== 'reject' }
    return { toolCallId: callId, ...decision }
  })
}

interface ModelMessage {
  role: string
  content: { type: string; approvalId?: string; toolCallId?: string; input?: JsonObject }[]
}

/**
 * A host without a page, which says yes to whatever the SDK asks, and uses neither `absorb` nor `reconcile`: only the tools stand between its model and the
 * effect. What is saved is the SDK's own history.
 */
function bareHost(sdk: Sdk, setup: HostSetup): AdapterHost {
  const gate = gateOf(setup)

  async function go(messages: ModelMessage[], steps: Step[]) {
    const { tools, toolApproval } = gatedTools(sdk, gate, setup)
    const { prompts, model } = scripted(steps)
    const stopWhen = sdk.stepCountIs(5)
    const { response, responseMessages = response.messages } = await sdk.generateText({
      model,
      tools,
      toolApproval,
      messages,
      stopWhen,
    })
    const all = [...messages, ...(responseMessages as ModelMessage[])]
    const calls = all.flatMap(({ role, content }) => (role === 'assistant' && Array.isArray(content) ? content : []))
    const ids = calls.flatMap(({ type, toolCallId }) => (type === 'tool-call' && toolCallId ? [toolCallId] : []))
    // The SDK answers free calls in the message in which others wait: the model has not read that yet.
    return {
      calls: ids.map((id) => stateFrom(id, readAbout([...prompts, all], id))),
      saved: all as unknown as JsonValue,
    }
  }

  return {
    call: (calls) =>
      go([{ role: 'user', content: [{ type: 'text', text: 'Please.' } as never] }], [stepOf(calls), 'Done.']),
    resume: (saved) => {
      const messages = structuredClone(saved) as unknown as ModelMessage[]
      const asked = messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool-approval-request')
      const content = asked.map(({ approvalId }) => ({ type: 'tool-approval-response', approvalId, approved: true }))
      return go([...messages, { role: 'tool', content } as ModelMessage], ['Done.'])
    },
    tamper: (saved, callId, args) => {
      const messages = structuredClone(saved) as unknown as ModelMessage[]
      for (const part of messages.flatMap(({ content }) => content))
        if (part.type === 'tool-call' && part.toolCallId === callId) part.input = args
      return messages as unknown as JsonValue
    },
    forge: (calls) => {
      const content = calls.flatMap(({ id, toolName, args }) => [
        { type: 'tool-call', toolCallId: id, toolName, input: args },
        { type: 'tool-approval-request', approvalId: `approval-${id}`, toolCallId: id },
      ])
      const asked = { role: 'user', content: [{ type: 'text', text: 'Please.' }] }
      return [asked, { role: 'assistant', content }] as unknown as JsonValue
    },
  }
}
