import { InputInvalid } from '../protocol/errors/errors.ts'
import type { HilInterruptContent, HilReply } from '../protocol/hil/hil.ts'
import type { JsonObject } from '../protocol/json/json.ts'
import { uuidSource } from '../protocol/uuid.ts'
import type { ReplySchema } from './reply-schema.ts'

/** A form in which a person picks one choice. */
export interface ChoiceFormOptions<TValue extends string> {
  /** Which tool asks; shown to the person. */
  toolName: string
  prompt: string
  choices: readonly (TValue | { value: TValue; label?: string; description?: string })[]
}

/** A question and the schema of its answer: `interrupt(form.content, { schema: form.schema, stream, streams })`. */
export interface ChoiceForm<TValue extends string> {
  content: HilInterruptContent
  schema: ReplySchema<TValue>
}

/**
 * A question of type `ChoiceForm` whose answer is one of the values. `detail` is `{ prompt, choices: [{ value, label?, description? }] }`. A gateway refuses
 * any other answer, and the question stays. A `ChoiceForm` that you write yourself takes any answer.
 */
export function choiceForm<const TValue extends string>(options: ChoiceFormOptions<TValue>): ChoiceForm<TValue> {
  const { toolName, prompt } = options
  const choices = options.choices.map((each) => (typeof each === 'string' ? { value: each } : { ...each }))
  const values = choices.map(({ value }) => value)
  if (values.length === 0 || new Set(values).size !== values.length)
    throw new InputInvalid('choiceForm needs choices with distinct values.')
  const detail = { prompt, choices: choices as unknown as JsonObject[] }
  const body = { tool_name: toolName, type: 'ChoiceForm', tool_exec_uuid: uuidSource()(), detail }
  return { content: { source: 'agent_tool_call', body }, schema: oneOf(values) }
}

function oneOf<TValue extends string>(values: readonly TValue[]): ReplySchema<TValue> {
  const isOne = (value: unknown): value is TValue => (values as readonly unknown[]).includes(value)
  const schema = {
    '~standard': {
      version: 1 as const,
      vendor: 'holdpoint',
      validate: (value: unknown) =>
        isOne(value) ? { value } : { issues: [{ message: `must be one of ${values.join(', ')}` }] },
      types: undefined as { input: HilReply; output: TValue } | undefined,
      jsonSchema: { input: () => ({ type: 'string', enum: [...values] }) },
    },
  }
  return schema
}
