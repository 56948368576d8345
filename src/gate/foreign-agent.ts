import type { ToolDefinition } from '../core/digest.ts'
import { callsOf } from '../core/queries.ts'
import type { CallFacts, ThreadState } from '../core/state.ts'
import type { StandardSchema } from '../protocol/checks/standard-schema.ts'
import { InputInvalid } from '../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonEqual } from '../protocol/json/json.ts'
import type { ToolResult } from '../protocol/message.ts'
import { Agent } from '../runtime/agent/agent.ts'
import type { Preview } from '../runtime/definition/tool/approval.ts'
import { tool } from '../runtime/definition/tool/tool.ts'
import type { ToolContext } from '../runtime/definition/tool/tool-context.ts'
import { toolOutput } from '../runtime/definition/tool/tool-output.ts'
import { schemaProblems } from '../schema/compile.ts'
import type { GateSettings } from './settings.ts'
import type { ForeignCall } from './types.ts'

/** Runs the tool of a call. */
export type Body = (args: JsonObject, ctx: ToolContext) => Promise<JsonValue>

/**
 * The agent of one call from outside: its model makes exactly this call, and its one tool is the host's. What the host leaves out is as it was when the
 * call was judged.
 */
export function foreignAgent(settings: GateSettings, call: ForeignCall, { body = notHere, ...known }: Known): Agent {
  const { toolName, args, callId = known.fallbackId } = call
  const definition = definitionOf(call, known)
  const { preview, preconditions } = factsOf(call, known.facts)
  const hosted = tool({
    name: toolName,
    description: definition.description,
    parameters: schemaOf(definition),
    parametersJsonSchema: definition.parameters,
    ...(definition.annotations ? { annotations: definition.annotations } : {}),
    ...(preview === undefined ? {} : { preview: () => cloneJson(preview as JsonValue) }),
    ...(preconditions === undefined ? {} : { preconditions: () => cloneJson(preconditions) }),
    onUnknownOutcome: settings.onUnknownOutcome,
    execute: async (given, ctx) => {
      const edited = !jsonEqual(given as JsonObject, args)
      return toolOutput(resultOf(await body(given as JsonObject, ctx), edited))
    },
  })
  return new Agent({
    name: settings.agent,
    model: { name: 'host', respond: () => Promise.resolve({ toolCalls: [{ id: callId, name: toolName, args }] }) },
    tools: [hosted],
  })
}

/** What is known of a call besides what its host says now. */
export interface Known {
  definition: ToolDefinition | undefined
  facts: CallFacts
  /** The id of the call, if its host has none. */
  fallbackId: string
  /** Runs the tool, if it runs here. */
  body?: Body | undefined
}

/** What the journal knows of its call. */
export function knownOf(state: ThreadState, fallbackId: string): Known {
  const [call] = callsOf(state)
  if (!call) return { definition: undefined, facts: {}, fallbackId }
  const { phase } = call
  const facts = 'release' in phase ? phase.release.facts : 'request' in phase ? phase.request?.opened : call.facts
  const definition = 'release' in phase ? phase.release.definition : call.definition
  return { definition: state.definitions.get(definition ?? ''), facts: facts ?? {}, fallbackId }
}

function definitionOf({ definition, toolName }: ForeignCall, known: Known): ToolDefinition {
  if (definition) return { ...definition, name: toolName }
  return known.definition ?? { name: toolName, description: '', parameters: { type: 'object' } }
}

function factsOf(call: ForeignCall, known: CallFacts): { preview?: Preview; preconditions?: JsonValue } {
  const { preview = knownPreview(known), preconditions = known.preconditions } = call
  return {
    ...(preview === undefined ? {} : { preview }),
    ...(preconditions === undefined ? {} : { preconditions }),
  }
}

function knownPreview({ preview, previewCompare }: CallFacts): Preview | undefined {
  return preview === undefined || previewCompare === undefined ? preview : { show: preview, compare: previewCompare }
}

/** The host's JSON Schema. It was compiled when the tool was made. */
function schemaOf({ parameters }: ToolDefinition): StandardSchema {
  return {
    '~standard': {
      version: 1,
      vendor: 'holdpoint',
      validate: (value) => {
        const problems = schemaProblems(parameters, value as JsonValue)
        return problems.length > 0 ? { issues: problems.map((problem) => ({ message: problem })) } : { value }
      },
    },
  }
}

/** The result to store for a value. An edit adds a note to the text, so the value is stored beside it. */
export function resultOf(value: JsonValue, edited: boolean): ToolResult {
  if (typeof value === 'string') return { content: value, ...(edited ? { data: value } : {}) }
  return { content: JSON.stringify(value), data: value }
}

function notHere(): Promise<JsonValue> {
  return Promise.reject(new InputInvalid('This call runs at its host.'))
}
