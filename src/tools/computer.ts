import { z } from 'zod'
import { lazy } from '../protocol/checks/lazy.ts'
import type { StandardSchema } from '../protocol/checks/standard-schema.ts'
import { messageOf } from '../protocol/errors/errors.ts'
import type { RunContext } from '../protocol/run-context.ts'
import type { Tool } from '../runtime/definition/definition.ts'
import { tool } from '../runtime/definition/tool/tool.ts'
import type { ToolContext } from '../runtime/definition/tool/tool-context.ts'
import { type ToolOutput, toolOutput } from '../runtime/definition/tool/tool-output.ts'
import {
  COMPUTER_METHODS,
  type Computer,
  type ComputerAction,
  computerAction,
  perform,
  render,
} from './computer-actions.ts'
import { type BuiltInOptions, checkBuiltIn, checkMethods, type NeedsApprovalOf } from './options.ts'

const args = lazy(() => z.strictObject({ actions: z.array(computerAction()).min(1) }))
type ComputerArgs = z.infer<ReturnType<typeof args>>

/** Options of `computerTool`. */
export interface ComputerToolOptions extends BuiltInOptions<ComputerAction> {
  computer: Computer
}

/** The tool's name and its former name. Decisions under either apply to both. */
const NAMES = ['computer', 'computer_use_preview'] as const

/**
 * A tool that works on the application's own computer. One call is an array of actions and makes one request.
 * `needsApproval` is called for each action, and any `true` holds the whole array. People see one action per line.
 */
export function computerTool(options: ComputerToolOptions): Tool {
  const { name = NAMES[0], needsApproval = true, onApproval, risk = 'high', computer } = options
  checkBuiltIn(name, options, ['computer'])
  checkMethods(name, computer, { what: 'a computer', methods: COMPUTER_METHODS })
  const isUsual = (NAMES as readonly string[]).includes(name)
  return tool({
    name,
    ...(isUsual ? { aliases: NAMES.filter((one) => one !== name) } : {}),
    description: options.description ?? 'Works at a computer with mouse and keyboard, and returns a screenshot.',
    parameters: withLegacyAction,
    needsApproval: typeof needsApproval === 'function' ? anyAction(needsApproval) : needsApproval,
    ...(onApproval ? { onApproval } : {}),
    line: 'computer',
    risk,
    ...(options.timeoutSeconds === undefined ? {} : { timeoutSeconds: options.timeoutSeconds }),
    preview: ({ actions }) => actions.map(render),
    execute: ({ actions }, ctx) => performAll(computer, actions, ctx),
  })
}

/** Older models send a single `action`. It becomes an array of one. */
const withLegacyAction: StandardSchema<unknown, ComputerArgs> & { toJSONSchema(): unknown } = {
  toJSONSchema: () => z.toJSONSchema(args(), { io: 'input' }),
  '~standard': {
    version: 1,
    vendor: 'holdpoint',
    validate: (value) => {
      const { action, ...others } = (value ?? {}) as Record<string, unknown>
      const isLegacy = action !== undefined && others.actions === undefined
      return args()['~standard'].validate(isLegacy ? { ...others, actions: [action] } : value)
    },
  },
}

function anyAction(needsApproval: Exclude<NeedsApprovalOf<ComputerAction>, boolean>) {
  return async (runContext: RunContext, { actions }: ComputerArgs, callId: string): Promise<boolean> => {
    const said = await Promise.all(actions.map((action) => needsApproval(runContext, action, callId)))
    // Anything but a boolean is passed on, and the engine refuses it.
    return said.find((one) => typeof one !== 'boolean') ?? said.includes(true)
  }
}

async function performAll(
  computer: Computer,
  actions: readonly ComputerAction[],
  { signal }: ToolContext,
): Promise<ToolOutput> {
  for (const [index, action] of actions.entries()) {
    signal.throwIfAborted()
    try {
      await perform(computer, action)
    } catch (error) {
      const text = `Action ${index + 1} of ${actions.length} (${render(action)}) failed: ${messageOf(error)}. Those before it were done.`
      return toolOutput({ content: text, isError: true })
    }
  }
  return toolOutput({
    content: [{ type: 'file', mediaType: 'image/png', name: 'screenshot.png', data: await computer.screenshot() }],
  })
}
