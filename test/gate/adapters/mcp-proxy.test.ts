import { describeAdapter } from './describe-adapter.ts'
import { mcpProxyHarness } from './mcp-proxy-host.ts'

describeAdapter('the MCP proxy', mcpProxyHarness)
