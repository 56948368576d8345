import { fingerprint, type ToolDefinition } from '../../../core/digest.ts'
import type { ParametersSchema, StandardSchema } from '../../../protocol/checks/standard-schema.ts'
import { messageOf, ToolInvalid } from '../../../protocol/errors/errors.ts'
import type { JsonObject } from '../../../protocol/json/json.ts'
import type { ErrorFunction } from '../behavior.ts'
import type { Tool } from '../definition.ts'
import { checkGuardrails } from '../guardrails.ts'
import type { NeedsApproval } from './approval.ts'
import { notPlain } from './args.ts'
import { checkAliases, checkAnnotations, checkOptions, NAME } from './check-tool.ts'
import { checkGivenSchema, jsonSchemaOf, outputProblem } from './json-schema.ts'
import { toStandardSchema } from './plain-schema.ts'
import { checkDisplay } from './tool-display.ts'
import type { ToolOptions } from './tool-options.ts'

/** Defines a tool. Throws `ToolInvalid` at once for mistakes that would otherwise surface only at run time. */
export function tool<TSchema extends ParametersSchema, TDeps = unknown, TContext = unknown, TRule = unknown>(
  options: ToolOptions<TSchema, TDeps, TContext, TRule>,
): Tool<TContext> {
  const { name, description } = options
  if (typeof name !== 'string' || !NAME.test(name))
    throw new ToolInvalid(String(name), 'its name must match [A-Za-z0-9_.:/-]{1,128}')
  checkAliases(name, options.aliases)
  if (typeof description !== 'string') throw new ToolInvalid(name, 'it needs a description')
  const parameters = parametersOf(name, options.parameters)
  if (typeof options.execute !== 'function') throw new ToolInvalid(name, 'it needs an execute function')
  checkOptions(name, options)
  const schema =
    options.parametersJsonSchema === undefined
      ? jsonSchemaOf(parameters)
      : checkGivenSchema(options.parametersJsonSchema)
  if (!schema.ok) throw new ToolInvalid(name, schema.problem)
  const unshowable = outputProblem(parameters)
  if (unshowable !== undefined) throw new ToolInvalid(name, notPlain(`its parameters yield ${unshowable}`))
  const definition: ToolDefinition = { name, description, parameters: schema.value }
  if (options.annotations !== undefined) definition.annotations = checkAnnotations(name, options.annotations)
  return Object.freeze({
    name,
    aliases: Object.freeze([...(options.aliases ?? [])]),
    definition,
    fingerprint: fingerprint(definition),
    parameters,
    needsApproval: (options.needsApproval ?? false) as NeedsApproval<never>,
    isEnabled: (options.isEnabled ?? true) as Tool['isEnabled'],
    ...(options.errorFunction === undefined ? {} : { errorFunction: options.errorFunction as ErrorFunction | null }),
    ...(options.onApproval ? { onApproval: options.onApproval } : {}),
    ...(options.review ? { review: Object.freeze({ ...options.review }) } : {}),
    ...(options.display === undefined ? {} : { display: checkDisplay(name, options.display, schema.value) }),
    ...(options.line === undefined ? {} : { line: options.line }),
    execute: options.execute as Tool['execute'],
    resumable: options.resumable ?? false,
    onUnknownOutcome: options.onUnknownOutcome ?? (options.idempotent ? 'retry' : 'ask'),
    timeoutSeconds: options.timeoutSeconds,
    risk: options.risk,
    preview: options.preview as Tool['preview'],
    previewCheck: options.previewCheck ?? 'same',
    preconditions: options.preconditions as Tool['preconditions'],
    inputGuardrails: checkGuardrails(`Tool "${name}"`, options.inputGuardrails, 'run'),
    outputGuardrails: checkGuardrails(`Tool "${name}"`, options.outputGuardrails, 'run'),
    special: undefined,
  })
}

function parametersOf(name: string, given: ParametersSchema): StandardSchema {
  let parameters: StandardSchema
  try {
    parameters = toStandardSchema(given)
  } catch (error) {
    throw new ToolInvalid(name, `its parameters: ${messageOf(error).replace(/\.$/, '')}`, error)
  }
  if (typeof parameters?.['~standard']?.validate !== 'function')
    throw new ToolInvalid(name, 'its parameters are neither a Standard Schema nor a JSON Schema')
  return parameters
}

/** The same tool under one of its aliases. The fingerprint covers the name, so it differs. */
export function asAlias(known: Tool, name: string): Tool {
  const definition = { ...known.definition, name }
  const { current } = known
  return Object.freeze({
    ...known,
    name,
    aliasOf: known.name,
    definition,
    fingerprint: fingerprint(definition),
    ...(current ? { current: () => asAlias(current(), name) } : {}),
  })
}

/** The current definition of a tool, as the model is offered it. */
export function toOffer(known: Tool): { name: string; description: string; parameters: JsonObject } {
  const { definition } = known.current ? known.current() : known
  const { annotations: _annotations, ...offer } = definition
  const { $schema, ...parameters } = offer.parameters
  // Some providers refuse a schema with `$schema`.
  return $schema === undefined ? offer : { ...offer, parameters }
}
