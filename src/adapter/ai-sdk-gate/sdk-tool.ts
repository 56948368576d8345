import type { JsonObject } from '../../index.ts'
import { PeerMissing } from '../../ports.ts'

/** The used part of a tool of the AI SDK. */
export interface SdkTool {
  description?: unknown
  inputSchema?: unknown
  needsApproval?: unknown
  execute?: (input: unknown, options: SdkToolOptions) => unknown
}

/** What the SDK gives a tool next to its input. */
export interface SdkToolOptions {
  toolCallId: string
  messages?: readonly SdkModelMessage[]
  abortSignal?: AbortSignal | undefined
}

/** A message for the model, as far as it is read here. */
export interface SdkModelMessage {
  role: string
  content: unknown
}

/** What a gate pins of a tool. */
export interface SdkDefinition {
  description: string
  parameters: JsonObject
}

/** Describes a tool to the gate. What its description computes from a call is not pinned. */
export async function definitionOf({ description, inputSchema }: SdkTool): Promise<SdkDefinition> {
  return {
    description: typeof description === 'string' ? description : '',
    parameters: await parametersOf(inputSchema),
  }
}

interface StandardSchema {
  '~standard': {
    validate(value: unknown): unknown
    jsonSchema?: { output(options: { target: string }): JsonObject }
  }
}

interface SdkSchema {
  jsonSchema: unknown
  validate?: (value: unknown) => unknown
}

/** The JSON Schema of what the tool's body gets. A schema with transforms has none: then any object is accepted, and the schema itself checks edits. */
async function parametersOf(given: unknown): Promise<JsonObject> {
  const schema = resolved(given)
  if (isSdkSchema(schema)) return plainSchema((await schema.jsonSchema) as JsonObject)
  const standard = isStandard(schema) ? schema['~standard'].jsonSchema : undefined
  if (standard) {
    try {
      return plainSchema(standard.output({ target: 'draft-2020-12' }))
    } catch {
      return { type: 'object' }
    }
  }
  const { asSchema } = await loadSdk()
  return plainSchema((await asSchema(schema).jsonSchema) as JsonObject)
}

/** Checks arguments that a person has edited, as the SDK checks those of the model. */
export async function checkEdited(given: unknown, args: JsonObject): Promise<unknown> {
  const schema = resolved(given)
  if (isStandard(schema)) {
    const checked = (await schema['~standard'].validate(args)) as { value?: unknown; issues?: { message: string }[] }
    if (checked.issues) throw new TypeError(`The edited arguments do not fit: ${checked.issues[0]?.message}`)
    return checked.value
  }
  const validate = isSdkSchema(schema) ? schema.validate : (await loadSdk()).asSchema(schema).validate
  if (!validate) return args
  const checked = (await validate(args)) as { success: boolean; value?: unknown; error?: Error }
  if (!checked.success) throw new TypeError(`The edited arguments do not fit: ${checked.error?.message}`)
  return checked.value
}

/** Schemas may be made when they are first needed. */
function resolved(given: unknown): unknown {
  return typeof given === 'function' && !isStandard(given) && !isSdkSchema(given) ? (given as () => unknown)() : given
}

function isSdkSchema(schema: unknown): schema is SdkSchema {
  const isObject = (typeof schema === 'object' && schema !== null) || typeof schema === 'function'
  return isObject && 'jsonSchema' in schema && !isStandard(schema)
}

function isStandard(schema: unknown): schema is StandardSchema {
  const isObject = (typeof schema === 'object' && schema !== null) || typeof schema === 'function'
  return isObject && '~standard' in schema
}

function plainSchema(schema: JsonObject): JsonObject {
  const { $schema: _dialect, ...rest } = JSON.parse(JSON.stringify(schema)) as JsonObject
  return rest
}

/** Only for schemas that cannot describe themselves, such as those of zod 3. */
async function loadSdk(): Promise<{ asSchema: (schema: unknown) => SdkSchema }> {
  try {
    return (await import('ai')) as unknown as { asSchema: (schema: unknown) => SdkSchema }
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new PeerMissing("aiSdkGate needs ai: run 'npm install ai'.", error)
  }
}
