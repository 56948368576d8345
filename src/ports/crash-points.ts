/**
 * A named place between two writes, reached. Tests kill the process there, in turn; everywhere else it is absent.
 */
export type CrashPoint = (name: string) => void
