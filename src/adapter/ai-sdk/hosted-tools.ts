import type { HostedMcpServer, ModelApprovalRequest } from '../../ports/model.ts'
import { isApprovalRequest, toApprovalResponse } from '../../ports/provider-approval.ts'
import { InputInvalid, ModelResponseInvalid } from '../../protocol/errors/errors.ts'
import type { Message, ToolCall } from '../../protocol/message.ts'
import { isOf, meaningful, optionsFor, toCallData } from './answer-record.ts'
import type { ProviderOptions, SdkPromptPart, SdkProviderTool, SdkVersion } from './specification.ts'

/**
 * Describes an MCP server to the provider as one of the provider's own tools, such as `openai.tools.mcp({ … })`
 * returns.
 */
export type ToHostedTool = (server: HostedMcpServer) => { id: string; args: object }

/**
 * Hosted servers as tools of the provider. Refuses a server that cannot be passed on or cannot be asked about: its gate
 * would be missing.
 */
export function toProviderTools(
  servers: readonly HostedMcpServer[],
  version: SdkVersion,
  toTool: ToHostedTool | undefined,
): SdkProviderTool[] {
  return servers.map((server) => {
    const { serverLabel: name } = server
    if (!toTool)
      throw new InputInvalid(
        `aiSdkModel(): the agent has the hosted MCP server "${name}". Set hostedTool to describe it to the provider.`,
      )
    if (version === 'v2' && server.requireApproval !== 'never')
      throw new InputInvalid(
        `aiSdkModel(): a model of specification v2 cannot ask before it uses the hosted MCP server "${name}". Use a newer one.`,
      )
    const { id, args } = toTool(server) ?? {}
    if (typeof id !== 'string' || !id.includes('.') || typeof args !== 'object' || args === null)
      throw new InputInvalid(`aiSdkModel(): hostedTool must return { id: 'provider.tool', args } for "${name}".`)
    return { type: version === 'v2' ? 'provider-defined' : 'provider', id, name, args }
  })
}

/** A call that the provider runs itself, as announced. */
export interface OwnCall {
  toolName: string
  input: string
}

/**
 * A provider's approval request, with the tool and the agent's server that it is about. Providers name the tool, but
 * not always the server. An ambiguous request is refused, never guessed.
 */
export function toApprovalRequest(
  asked: { approvalId: string; toolCallId: string; providerMetadata?: ProviderOptions | undefined },
  call: OwnCall | undefined,
  { name, provider, servers }: { name: string; provider: string; servers: readonly HostedMcpServer[] },
): ModelApprovalRequest {
  if (!call) throw new ModelResponseInvalid(`${name} asks about the call ${asked.toolCallId}, which it did not make`)
  const found = findServer(call.toolName, servers)
  if (!found)
    throw new ModelResponseInvalid(
      servers.length === 0
        ? `${name} asks whether it may run ${call.toolName}, and the agent has no hosted MCP server: give it one with hostedMcpTool()`
        : `${name} asks whether it may run ${call.toolName}, and does not say on which server (${servers.map(({ serverLabel }) => serverLabel).join(', ')}): ` +
            'tell the servers apart with allowedTools, or give them to different agents',
    )
  return {
    id: asked.approvalId,
    serverLabel: found.server.serverLabel,
    name: found.name,
    arguments: call.input.trim() || '{}',
    providerData: toCallData(provider, meaningful(asked.providerMetadata) ?? {}),
  }
}

/** Finds the server of a tool. It is named `label.tool`, or, for any server, `mcp.tool` or just `tool`. */
function findServer(
  toolName: string,
  servers: readonly HostedMcpServer[],
): { server: HostedMcpServer; name: string } | undefined {
  const isPlain = toolName.startsWith('mcp.') || !toolName.includes('.')
  const labelled = servers.find(({ serverLabel }) => toolName.startsWith(`${serverLabel}.`))
  if (!isPlain && labelled) return { server: labelled, name: toolName.slice(labelled.serverLabel.length + 1) }
  const name = toolName.startsWith('mcp.') ? toolName.slice('mcp.'.length) : toolName
  const able = servers.filter(({ allowedTools }) => !allowedTools || allowedTools.includes(name))
  const [server] = able
  return server && able.length === 1 ? { server, name } : undefined
}

/** The answer to a provider's approval request, as prompt parts. Empty for another provider, which never asked. */
export function toApprovalParts(
  call: ToolCall,
  result: Extract<Message, { role: 'tool' }>,
  { provider, version }: { provider: string; version: SdkVersion },
): SdkPromptPart[] {
  const response = toApprovalResponse(call, result)
  if (!response || version === 'v2' || !isOf(provider, call.providerData)) return []
  const { approvalRequestId: approvalId, approve: approved, reason } = response
  const providerOptions = meaningful(optionsFor(provider, call.providerData))
  return [
    {
      type: 'tool-approval-response',
      approvalId,
      approved,
      ...(reason === undefined ? {} : { reason }),
      ...(providerOptions ? { providerOptions } : {}),
    },
  ]
}

/** The approval requests among an answer's calls, by id. */
export function approvalCalls(message: Message): Map<string, ToolCall> {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  return new Map(calls.filter(isApprovalRequest).map((call) => [call.id, call]))
}
