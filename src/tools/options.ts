import { ToolInvalid } from '../protocol/errors/errors.ts'
import type { Risk } from '../protocol/request.ts'
import type { ContextFunction, RunContext } from '../protocol/run-context.ts'
import type { OnApproval } from '../runtime/definition/tool/approval.ts'

/** Whether a person is asked about a built-in tool's action: always, never, or as a function returns. */
export type NeedsApprovalOf<TAction> =
  | boolean
  | ContextFunction<[runContext: RunContext, action: TAction, callId: string], boolean | Promise<boolean>>

/** Options of all built-in tools. */
export interface BuiltInOptions<TAction> {
  /** Default: the tool's usual name. */
  name?: string
  description?: string
  /** Default `true`. */
  needsApproval?: NeedsApprovalOf<TAction>
  /** Decides in code what `needsApproval` holds. If it returns `undefined`, people are asked. */
  onApproval?: OnApproval
  timeoutSeconds?: number
  /** Default `'high'`. */
  risk?: Risk
}

/** The line of all tools that work on one machine's files, even if shell and editor are different tools. */
export const FILES = 'files'

const COMMON = ['name', 'description', 'needsApproval', 'onApproval', 'timeoutSeconds', 'risk']

/** Refuses options that a built-in tool does not have: a misspelt one could be a gate that is not there. */
export function checkBuiltIn(name: string, options: object, own: readonly string[]): void {
  checkKnown(name, options, [...COMMON, ...own])
}

/** The same for a tool that has none of the common options but those that it names. */
export function checkKnown(name: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options ?? {}).find((key) => !known.includes(key))
  if (unknown !== undefined) throw new ToolInvalid(name, `there is no option "${unknown}"`)
}

/** Refuses a value that lacks a method that the tool needs. */
export function checkMethods(
  name: string,
  value: unknown,
  { what, methods }: { what: string; methods: readonly string[] },
): void {
  const missing = methods.find(
    (method) => typeof (value as Record<string, unknown> | undefined)?.[method] !== 'function',
  )
  if (missing !== undefined) throw new ToolInvalid(name, `it needs ${what} with a method ${missing}`)
}
