import type { Style } from '../render/style.ts'

/** What the environment says, read once. */
export interface Settings {
  /** HOLDPOINT_STORE */
  readonly store: string | undefined
  /** HOLDPOINT_USER, else the name of the operating system's user. */
  readonly user: string | undefined
  /** VISUAL or EDITOR. */
  readonly editor: string | undefined
  /** HOLDPOINT_JWT_SECRET */
  readonly jwtSecret: string | undefined
  /** HOLDPOINT_AUDIT_KEY */
  readonly auditKey: string | undefined
  /** HOLDPOINT_DEBUG: print stacks. */
  readonly debug: boolean
  /** Whether `npm start` started this, so that it is what people are told to type again. */
  readonly startedByNpm: boolean
}

/** Everything a command has of the world outside; only `main.ts` makes one. */
export interface Context {
  readonly settings: Settings
  readonly cwd: string
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  /** Whether a person can be asked: both ends are a terminal. */
  readonly interactive: boolean
  readonly style: Style
  /** Columns to lay text out in. */
  columns(): number
  now(): number
  /** Prints lines. */
  out(...lines: string[]): void
  /** Prints lines where errors and notes go. */
  err(...lines: string[]): void
  /** From now on signals are the command's to handle, a second one excepted. */
  takeSignals(): Stop
}

/** Told to end: by Ctrl-C, by the system, or because the terminal went away. */
export interface Stop {
  readonly signal: AbortSignal
  /** The exit code that tells which signal it was. */
  readonly code: number
  /** Lets signals do what they usually do again. */
  release(): void
}
