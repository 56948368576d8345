import type { Style } from '../render/style.ts'

/** The environment variables, read once. */
export interface Settings {
  /** HOLDPOINT_STORE */
  readonly store: string | undefined
  /** HOLDPOINT_URL */
  readonly url: string | undefined
  /** HOLDPOINT_TOKEN */
  readonly token: string | undefined
  /** HOLDPOINT_USER, else the login name. */
  readonly user: string | undefined
  /** VISUAL or EDITOR. */
  readonly editor: string | undefined
  /** HOLDPOINT_JWT_SECRET */
  readonly jwtSecret: string | undefined
  /** HOLDPOINT_AUDIT_KEY */
  readonly auditKey: string | undefined
  /** HOLDPOINT_DATA: the folder of `holdpoint start`. */
  readonly data: string | undefined
  /** Where this system keeps data of programs, if the environment says. */
  readonly dataHome: string | undefined
  /** PORT */
  readonly port: string | undefined
  /** HOLDPOINT_DEMO: on, fixed or off. */
  readonly demo: string | undefined
  /** HOLDPOINT_DEBUG: print stack traces. */
  readonly debug: boolean
}

/** Everything that a command knows of the outside world. Only `main.ts` creates one. */
export interface Context {
  readonly settings: Settings
  /** The variables HOLDPOINT_… and PORT as they are, for `serve` and `worker`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  /** Whether a person can be asked: both ends are a terminal. */
  readonly interactive: boolean
  readonly style: Style
  /** The width of the terminal, at most 120; 80 if unknown. */
  columns(): number
  now(): number
  /** Prints lines to standard output. */
  out(...lines: string[]): void
  /** Prints lines to standard error. */
  err(...lines: string[]): void
  /** From now on the command handles the first signal itself. A second one ends the process. */
  takeSignals(): Stop
  /**
   * From now on the only thing that is printed to standard output is what `quit` is given; whatever else prints there prints to standard error. If the
   * process ends without it, by an error that nobody caught or by code that ends it, `words` are printed.
   */
  answerOnly(words: (problem: string) => LastWords): void
  /** Prints this and ends the process, whatever is still under way. What cannot be printed is exit code 2. */
  quit(words: LastWords): Promise<never>
}

/** What a process prints at its end, and its exit code. */
export interface LastWords {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** The request to end: Ctrl-C, a signal, or a closed terminal. */
export interface Stop {
  readonly signal: AbortSignal
  /** The exit code that tells which signal it was. */
  readonly code: number
  /** Gives signals their default effect back. */
  release(): void
}
