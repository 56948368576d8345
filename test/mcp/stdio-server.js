// An MCP server for the tests, over standard input and output. What it did is in the file that LOG names, one line each.
import { appendFileSync } from 'node:fs'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createServer } from './tools.js'

const { LOG, PAY_DESCRIPTION } = process.env
const server = createServer({
  log: (line) => LOG && appendFileSync(LOG, `${line}\n`),
  describePay: () => PAY_DESCRIPTION ?? 'Pays somebody.',
  die: () => process.exit(1),
})
await server.connect(new StdioServerTransport())
