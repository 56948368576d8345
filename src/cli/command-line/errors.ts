/** An error of the command line itself. */
export class CliError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The command line is wrong: an unknown option, a missing value. Its exit code is 2. */
export class UsageError extends CliError {
  constructor(message: string) {
    super('usage', message)
  }
}

/** 2 for wrong usage, 1 for any other error. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof UsageError ? 2 : 1
}
