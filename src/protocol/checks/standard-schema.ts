/** The Standard Schema interface (zod, valibot, arktype, …), as far as holdpoint needs it. */
export interface StandardSchema<TInput = unknown, TOutput = TInput> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<TOutput> | Promise<StandardResult<TOutput>>
    readonly types?: { readonly input: TInput; readonly output: TOutput } | undefined
  }
}

/** What a schema says of a value. */
type StandardResult<TOutput> =
  | { readonly value: TOutput; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One complaint. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The type of the values that a schema yields. */
export type OutputOf<TSchema extends StandardSchema> = NonNullable<TSchema['~standard']['types']>['output']
