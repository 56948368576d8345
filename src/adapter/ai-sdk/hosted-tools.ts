import type { HostedMcpServer, ModelApprovalRequest } from '../../ports/model.ts'
import { isApprovalRequest, toApprovalResponse } from '../../ports/provider-approval.ts'
import { InputInvalid, ModelResponseInvalid } from '../../protocol/errors/errors.ts'
import type { Message, ToolCall } from '../../protocol/message.ts'
import { isOf, meaningful, optionsFor, toCallData } from './answer-record.ts'
import type { ProviderOptions, SdkPromptPart, SdkProviderTool, SdkVersion } from './specification.ts'

/** How a provider is told of an MCP server that it is to use: a tool of its own, such as `openai.tools.mcp({ … })` makes. */
export type ToHostedTool = (server: HostedMcpServer) => { id: string; args: object }

/** Hosted servers as tools of the provider. What cannot be passed on, or not be asked about, is refused: it would be a gate that is not there. */
export function toProviderTools(
  servers: readonly HostedMcpServer[],
  version: SdkVersion,
  toTool: ToHostedTool | undefined,
): SdkProviderTool[] {
  return servers.map((server) => {
    const { serverLabel: name } = server
    if (!toTool)
      throw new InputInvalid(
        `aiSdkModel(): the agent has the hosted MCP server "${name}". Say with hostedTool how the provider is told of it.`,
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

/** A call that the provider runs itself, as it was announced. */
export interface OwnCall {
  toolName: string
  input: string
}

/**
 * What a provider asks, as a request that people can decide: which tool of which of the agent's servers. Providers name the tool and not always
 * the server; a request that could be about two of them is refused, never guessed at.
 */
export function toApprovalRequest(
  asked: { approvalId: string; toolCallId: string; providerMetadata?: ProviderOptions | undefined },
  call: OwnCall | undefined,
  { name, provider, servers }: { name: string; provider: string; servers: readonly HostedMcpServer[] },
): ModelApprovalRequest {
  if (!call)
    throw new ModelResponseInvalid(`${name} asks about the call ${asked.toolCallId}, which is not one that it makes`)
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

/** A tool is called `label.tool`, or `mcp.tool` or just `tool` whatever the server. */
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

/** The answer to a provider's own request, as a prompt has it; nothing for another provider, which never asked. */
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

/** The requests for approval among an answer's calls, by their ids. */
export function approvalCalls(message: Message): Map<string, ToolCall> {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  return new Map(calls.filter(isApprovalRequest).map((call) => [call.id, call]))
}
