import { z } from 'zod'
import { lazy } from '../protocol/checks/lazy.ts'
import { wellFormed } from '../protocol/json/json.ts'
import type { Tool } from '../runtime/definition/definition.ts'
import { tool } from '../runtime/definition/tool/tool.ts'
import type { ToolContext } from '../runtime/definition/tool/tool-context.ts'
import { type ToolOutput, toolOutput } from '../runtime/definition/tool/tool-output.ts'
import { type BuiltInOptions, checkBuiltIn, checkMethods, FILES } from './options.ts'

const action = lazy(() =>
  z.object({
    commands: z.array(z.string().min(1)).min(1).describe('The commands, run one after the other.'),
    timeoutMs: z.int().positive().exactOptional().describe('How long they may take.'),
    maxOutputLength: z.int().positive().exactOptional().describe('How many characters of output to return.'),
  }),
)
/** Commands that a model requests. */
export type ShellAction = z.infer<ReturnType<typeof action>>

const output = lazy(() =>
  z.object({
    stdout: z.string(),
    stderr: z.string(),
    outcome: z.discriminatedUnion('type', [
      z.object({ type: z.literal('exit'), exitCode: z.number().nullable() }),
      z.object({ type: z.literal('timeout') }),
    ]),
  }),
)
/** The result of one command. */
export type ShellOutput = z.infer<ReturnType<typeof output>>

const result = lazy(() => z.object({ output: z.array(output()), maxOutputLength: z.int().positive().exactOptional() }))
/** The results of the commands, in order. */
type ShellResult = z.infer<ReturnType<typeof result>>

/** Runs commands. The application decides where, as which user and within which limits. */
export interface Shell {
  run(action: ShellAction, ctx: ToolContext): ShellResult | Promise<ShellResult>
}

/** Options of `shellTool`. */
export interface ShellToolOptions extends BuiltInOptions<ShellAction> {
  shell: Shell
}

/** A tool that runs commands in the application's own shell. People see the exact commands. */
export function shellTool(options: ShellToolOptions): Tool {
  const { name = 'shell', needsApproval = true, onApproval, risk = 'high', shell } = options
  checkBuiltIn(name, options, ['shell'])
  checkMethods(name, shell, { what: 'a shell', methods: ['run'] })
  return tool({
    name,
    description: options.description ?? 'Runs commands in a shell and returns what they print.',
    parameters: action(),
    needsApproval,
    ...(onApproval ? { onApproval } : {}),
    line: FILES,
    risk,
    ...(options.timeoutSeconds === undefined ? {} : { timeoutSeconds: options.timeoutSeconds }),
    preview: ({ commands }) => commands,
    execute: async (asked, ctx) => toOutput(await shell.run(asked, ctx), asked),
  })
}

function toOutput(made: unknown, { maxOutputLength = Number.POSITIVE_INFINITY }: ShellAction): ToolOutput {
  const parsed = result().safeParse(made)
  if (!parsed.success) {
    const text = 'The commands were run, but what the shell returned cannot be read.'
    return toolOutput({ content: text, isError: true })
  }
  const limit = Math.min(maxOutputLength, parsed.data.maxOutputLength ?? Number.POSITIVE_INFINITY)
  const entries = parsed.data.output.map((one) => ({
    ...one,
    stdout: cut(one.stdout, limit),
    stderr: cut(one.stderr, limit),
  }))
  return toolOutput({ content: entries.map(toText).join('\n\n'), data: { output: entries } })
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${wellFormed(text.slice(0, limit))}… (${text.length - limit} characters more)`
}

function toText({ stdout, stderr, outcome }: ShellOutput): string {
  const ended = outcome.type === 'timeout' ? 'timed out' : `exit code ${outcome.exitCode ?? 'unknown'}`
  return [
    ended,
    ...(stdout === '' ? [] : [`stdout:\n${stdout}`]),
    ...(stderr === '' ? [] : [`stderr:\n${stderr}`]),
  ].join('\n')
}
