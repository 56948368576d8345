/** Called at a named point between two writes. Crash tests kill the process there; production code has none. */
export type CrashPoint = (name: string) => void
