import type { StandardSchema } from '../../protocol/checks/standard-schema.ts'
import type { AgentRef } from '../../protocol/entries/entry.ts'
import { AgentInvalid, ModelResponseInvalid, messageOf } from '../../protocol/errors/errors.ts'
import type { AgentDefinition, OutputType } from './definition.ts'
import { toProblem } from './tool/args.ts'
import { jsonSchemaOf } from './tool/json-schema.ts'

/** Checks the `outputType` option when an agent is built. */
export function toOutputType(agent: string, schema: StandardSchema | undefined): OutputType | undefined {
  if (schema === undefined) return undefined
  if (typeof schema?.['~standard']?.validate !== 'function')
    throw new AgentInvalid(`Agent "${agent}": outputType is not a Standard Schema.`)
  const found = jsonSchemaOf(schema)
  if (!found.ok) throw new AgentInvalid(`Agent "${agent}": outputType cannot be expressed in JSON Schema.`)
  const { $schema: _draft, ...jsonSchema } = found.value
  return Object.freeze({ schema, jsonSchema })
}

/** The output type of the agent that answered last: the root, or one that it handed over to. */
export function outputTypeOf(root: AgentDefinition, last: AgentRef | undefined): OutputType | undefined {
  return (last === undefined || last.id === root.id ? root : root.graph.require(last)).outputType
}

/** Reads the last answer of an agent. Throws `ModelResponseInvalid` if it does not match `outputType`. */
export async function readOutput(type: OutputType | undefined, text: string): Promise<unknown> {
  if (!type) return text
  const result = await type.schema['~standard'].validate(parse(text))
  if (!result.issues) return result.value
  throw new ModelResponseInvalid(`its answer does not match outputType: ${result.issues.map(toProblem).join('; ')}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ModelResponseInvalid(`its answer is not JSON, which outputType needs: ${messageOf(error)}`)
  }
}
