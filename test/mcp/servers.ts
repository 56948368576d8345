import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type McpServerHandle, type McpServerOptions, mcpServer } from '../../src/mcp.ts'
import type { Tool } from '../../src/runtime/definition/definition.ts'

/** Ends something when the test is over, the newest first. */
export function later(end: () => unknown): void {
  onTestFinished(async () => {
    await end()
  })
}

/** A handle on a server process, closed when the test is over, and what the process logged. */
export function stdio(
  options: Partial<McpServerOptions> = {},
  env: Record<string, string> = {},
): { server: McpServerHandle; log: () => string[] } {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-mcp-'))
  const file = join(dir, 'log')
  const server = mcpServer({
    name: 'till',
    command: process.execPath,
    args: [join(import.meta.dirname, 'stdio-server.js')],
    env: { LOG: file, ...env },
    stderr: 'ignore',
    ...options,
  })
  later(() => rmSync(dir, { recursive: true, force: true }))
  later(() => server.close())
  return {
    server,
    log: () => {
      try {
        return readFileSync(file, 'utf8').trimEnd().split('\n')
      } catch {
        return []
      }
    },
  }
}

/** A handle on any server, closed when the test is over. */
export function connected(options: McpServerOptions): McpServerHandle {
  const server = mcpServer(options)
  later(() => server.close())
  return server
}

export async function toolNamed(server: McpServerHandle, name: string): Promise<Tool> {
  const found = (await server.tools()).find((tool) => tool.name === name)
  if (!found) throw new Error(`there is no tool ${name}`)
  return found
}
