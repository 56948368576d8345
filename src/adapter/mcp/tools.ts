import type { StandardSchema } from '../../protocol/checks/standard-schema.ts'
import { McpServerInvalid, messageOf } from '../../protocol/errors/errors.ts'
import { type JsonObject, jsonProblem } from '../../protocol/json/json.ts'
import type { Risk } from '../../protocol/request.ts'
import type { Tool } from '../../runtime/definition/definition.ts'
import { checkedBy } from '../../runtime/definition/tool/plain-schema.ts'
import { tool } from '../../runtime/definition/tool/tool.ts'
import type { ToolContext } from '../../runtime/definition/tool/tool-context.ts'
import type { ToolOutput } from '../../runtime/definition/tool/tool-output.ts'
import { type CompileBudget, type CompiledSchema, compileSchema } from '../../schema/compile.ts'
import { isReviewed } from '../../tools/require-approval.ts'
import type { ListedTool } from './connection.ts'
import { modelName, policyName } from './names.ts'
import type { McpSettings, McpToolInfo } from './options.ts'
import { revealed, revealedSchema } from './untrusted-text.ts'

/**
 * Converts a listed tool. The model and people see the server's texts with hidden characters revealed. The texts decide
 * nothing.
 */
export function toTool(
  listed: ListedTool,
  settings: McpSettings & { recipient: string | undefined; budget: CompileBudget },
  execute: (args: JsonObject, ctx: ToolContext) => Promise<ToolOutput>,
): Tool {
  const { namespace, recipient, timeoutSeconds, onUnknownOutcome, budget } = settings
  const alias = policyName(namespace, listed.name)
  const schema = listed.inputSchema as JsonObject
  const compiled = compileSchema(schema, budget)
  const annotations = {
    ...(listed.annotations ? { annotations: plain(listed.annotations) } : {}),
    ...(recipient === undefined ? {} : { recipient }),
  }
  try {
    return tool({
      name: modelName(namespace, listed.name),
      ...(alias === undefined ? {} : { aliases: [alias] }),
      description: describe(listed, compiled),
      parameters: parametersOf(compiled),
      parametersJsonSchema: compiled.ok ? revealedSchema(schema) : { type: 'object' },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      needsApproval: isReviewed(settings.approval, listed.name),
      execute: (args, ctx) => execute(args as JsonObject, ctx),
      onUnknownOutcome,
      timeoutSeconds,
      risk: riskOf(listed, settings),
    })
  } catch (error) {
    throw new McpServerInvalid(
      settings.name,
      `its tool "${revealed(listed.name)}" cannot be used (${messageOf(error)}); leave it out with toolFilter`,
    )
  }
}

/** The fields of a tool that a filter gets. */
export function infoOf({ name, description = '', annotations = {} }: ListedTool): McpToolInfo {
  return { name, description: revealed(description), annotations: { ...annotations } }
}

/** A hint may raise the risk. It lowers the risk only if the application trusts the server. */
function riskOf({ annotations }: ListedTool, { trustAnnotations }: McpSettings): Risk {
  if (annotations?.readOnlyHint) return trustAnnotations ? 'low' : 'medium'
  return annotations?.destructiveHint ? 'high' : 'medium'
}

/** A tool whose schema cannot be compiled stays on the list, so that everybody can see why it is refused. */
function describe({ description, title }: ListedTool, compiled: CompiledSchema): string {
  const text = revealed(description ?? title ?? '')
  return compiled.ok ? text : `${text}${text === '' ? '' : ' '}(${cannotBeCalled(compiled)})`
}

function cannotBeCalled({ reason }: Extract<CompiledSchema, { ok: false }>): string {
  return `This tool cannot be called: its JSON Schema cannot be compiled: ${revealed(reason)}`
}

/** A server's JSON Schema as a Standard Schema. */
function parametersOf(compiled: CompiledSchema): StandardSchema<unknown, unknown> {
  return checkedBy(compiled.ok ? compiled.problems : () => [cannotBeCalled(compiled)])
}

function plain(value: unknown): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value))
  const problem = jsonProblem(copy)
  if (problem) throw new Error(problem)
  return copy as JsonObject
}
