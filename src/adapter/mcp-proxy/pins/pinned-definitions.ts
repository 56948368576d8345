import { definePolicy, type Policy } from '../../../index.ts'

/** What the proxy tells policies about a call, as `call.runContext.context`. */
export interface McpCallContext {
  readonly mcp: {
    readonly server: string
    /** The server's own name of the tool. */
    readonly tool: string
    readonly definition: 'pinned' | 'new' | 'changed'
  }
}

/**
 * Asks a person about each call of a tool whose definition is not the pinned one. The request shows the difference. Pass it to `createGate` beside the
 * policy for the calls themselves.
 */
export function pinnedDefinitions(): Policy {
  return definePolicy<Partial<McpCallContext>>(
    ({ toolName, runContext }) => {
      const definition = runContext.context?.mcp?.definition
      if (definition === 'pinned') return { verdict: 'allow' }
      const what = definition === 'changed' ? 'changed since it was pinned' : 'is not pinned'
      return { verdict: 'review', risk: 'high', description: `The definition of ${toolName} ${what}.` }
    },
    { name: 'pinnedDefinitions', version: '1' },
  ) as Policy
}
