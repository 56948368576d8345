export type { McpServerOptions, McpToolInfo } from './adapter/mcp/options.ts'
export { type McpServerHandle, mcpServer } from './adapter/mcp/server.ts'
export type { RequireApproval } from './tools/require-approval.ts'
