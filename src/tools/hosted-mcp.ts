import type { HostedMcpServer } from '../ports/model.ts'
import type { StandardSchema } from '../protocol/checks/standard-schema.ts'
import { ToolInvalid } from '../protocol/errors/errors.ts'
import type { JsonObject } from '../protocol/json/json.ts'
import type { Tool } from '../runtime/definition/definition.ts'
import type { OnApproval } from '../runtime/definition/tool/approval.ts'
import { tool } from '../runtime/definition/tool/tool.ts'
import { toolOutput } from '../runtime/definition/tool/tool-output.ts'
import { checkKnown } from './options.ts'
import { type ApprovalRules, parseRequireApproval, type RequireApproval } from './require-approval.ts'

/** Options of `hostedMcpTool`. Either `serverUrl` or `connectorId` says where the provider finds the server. */
export interface HostedMcpToolOptions {
  /** The server's name for the provider and in requests. */
  serverLabel: string
  serverUrl?: string
  connectorId?: string
  serverDescription?: string
  /** Credentials for the provider. Never stored. */
  authorization?: string
  headers?: Readonly<Record<string, string>>
  allowedTools?: readonly string[]
  /**
   * When the provider asks first. Default `'always'`. For tools that an object does not name, the provider's default
   * applies.
   */
  requireApproval?: RequireApproval
  /** Decides in code what the provider asks. If it returns `undefined`, people are asked. */
  onApproval?: OnApproval
}

const KNOWN = [
  'serverLabel',
  'serverUrl',
  'connectorId',
  'serverDescription',
  'authorization',
  'headers',
  'allowedTools',
  'requireApproval',
  'onApproval',
]

/**
 * The tools of an MCP server that the model's provider runs. The provider's approval requests are requests like any
 * other, under the name `serverLabel.tool`. The decision goes back to the provider in the next turn.
 */
export function hostedMcpTool(options: HostedMcpToolOptions): Tool {
  const { serverLabel, serverUrl, connectorId, onApproval, requireApproval = 'always', ...others } = options
  const label = String(serverLabel)
  const fail = (problem: string): ToolInvalid => new ToolInvalid(label, problem)
  if (typeof serverLabel !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(serverLabel))
    throw fail('its serverLabel must match [A-Za-z0-9_-]{1,64}')
  checkKnown(label, options, KNOWN)
  if ((serverUrl === undefined) === (connectorId === undefined)) throw fail('it needs one of serverUrl and connectorId')
  if (serverUrl !== undefined && !URL.canParse(serverUrl)) throw fail('its serverUrl is not a valid URL')
  const server: HostedMcpServer = Object.freeze({
    type: 'mcp',
    serverLabel,
    ...(serverUrl === undefined ? {} : { serverUrl }),
    ...(connectorId === undefined ? {} : { connectorId }),
    ...others,
    requireApproval: toProvider(parseRequireApproval(requireApproval, fail)),
  })
  const recipient = serverUrl === undefined ? connectorId : `${new URL(serverUrl).origin}${new URL(serverUrl).pathname}`
  const prefix = `${serverLabel}.`
  const member = (name: string): Tool | undefined => {
    // A name that cannot be stored or shown names no tool.
    if (!/^[A-Za-z0-9_.:/-]{1,60}$/.test(name)) return undefined
    return memberOf(`${prefix}${name}`, { serverLabel, recipient: recipient ?? '' }, onApproval)
  }
  // It is never called: an agent uses only its `hosted` field.
  return Object.freeze({
    ...memberOf(serverLabel, { serverLabel, recipient: recipient ?? '' }, onApproval),
    hosted: { server, prefix, member },
  })
}

/** One tool of the server. Its body only approves the provider's request, so repeating it is harmless. */
function memberOf(name: string, annotations: JsonObject, onApproval?: OnApproval): Tool {
  return tool({
    name,
    description: `A tool of the MCP server ${annotations.serverLabel}, run by the provider of the model.`,
    parameters: anyObject,
    annotations,
    needsApproval: true,
    ...(onApproval ? { onApproval } : {}),
    // Nobody here can change what the provider will run, or write its result.
    review: { allowedDecisions: ['approve', 'reject'] },
    idempotent: true,
    execute: () => toolOutput({ content: 'Approved.', data: { type: 'mcp_approval_response', approve: true } }),
  })
}

const anyObject: StandardSchema & { toJSONSchema(): unknown } = {
  toJSONSchema: () => ({ type: 'object' }),
  '~standard': { version: 1, vendor: 'holdpoint', validate: (value) => ({ value }) },
}

function toProvider({ otherwise, named }: ApprovalRules): HostedMcpServer['requireApproval'] {
  if (named.size === 0) return otherwise
  const of = (rule: 'always' | 'never'): string[] => [...named].flatMap(([tool, said]) => (said === rule ? [tool] : []))
  const [always, never] = [of('always'), of('never')]
  return {
    ...(always.length > 0 ? { always: { toolNames: always } } : {}),
    ...(never.length > 0 ? { never: { toolNames: never } } : {}),
  }
}
