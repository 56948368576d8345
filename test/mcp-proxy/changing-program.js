import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { serveChanging } from './changing-server.js'

/** @type {{ definitions: string, log: string }} */
const files = JSON.parse(process.argv[2] ?? '')
await serveChanging(new StdioServerTransport(), { ...files, die: () => process.kill(process.pid, 'SIGKILL') })
