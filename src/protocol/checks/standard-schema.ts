import type { JsonObject } from '../json/json.ts'

/** The part of the Standard Schema interface (zod, valibot, arktype, …) that holdpoint uses. */
export interface StandardSchema<TInput = unknown, TOutput = TInput> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<TOutput> | Promise<StandardResult<TOutput>>
    readonly types?: { readonly input: TInput; readonly output: TOutput } | undefined
  }
}

/** The result of validating a value. */
type StandardResult<TOutput> =
  | { readonly value: TOutput; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One validation issue. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A JSON Schema of an object, as plain data. */
export interface JsonObjectSchema {
  /** `'object'`. Any string for the compiler, so that an imported JSON file fits. */
  readonly type: string
  readonly [keyword: string]: unknown
}

/** What `parameters` may be. */
export type ParametersSchema = StandardSchema | JsonObjectSchema

/** The output type of a schema. A plain JSON Schema does not tell the compiler more than that it is an object. */
export type OutputOf<TSchema extends ParametersSchema> = TSchema extends StandardSchema
  ? NonNullable<TSchema['~standard']['types']>['output']
  : JsonObject
