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

/** The output type of a schema. */
export type OutputOf<TSchema extends StandardSchema> = NonNullable<TSchema['~standard']['types']>['output']
