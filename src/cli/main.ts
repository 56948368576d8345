#!/usr/bin/env node
import { writeSync } from 'node:fs'
import { userInfo } from 'node:os'
import process from 'node:process'
import type { Context, LastWords, Settings, Stop } from './command-line/context.ts'
import { dispatch } from './command-line/dispatch.ts'
import { outlinedCommands } from './command-line/outline.ts'
import { loadCommand } from './commands/load-command.ts'
import { ansiStyle, plainStyle } from './render/style.ts'

// The only file that reads arguments and the environment, prints, and sets the exit code.

const { env, stdin, stdout, stderr, emitWarning } = process
const print = stdout.write.bind(stdout)
/** Whether a command that must answer has done so. */
const answer = { isGiven: false }

// Node 22 prints a warning with every command that its SQLite is experimental.
process.emitWarning = ((warning: string | Error, ...more: []) => {
  const [kind] = more as unknown[]
  if (kind !== 'ExperimentalWarning' || !String(warning).startsWith('SQLite')) emitWarning(warning, ...more)
}) as typeof emitWarning

const settings: Settings = {
  store: env.HOLDPOINT_STORE || undefined,
  url: env.HOLDPOINT_URL || undefined,
  token: env.HOLDPOINT_TOKEN || undefined,
  user: env.HOLDPOINT_USER || loginName(),
  editor: env.VISUAL || env.EDITOR || undefined,
  jwtSecret: env.HOLDPOINT_JWT_SECRET || undefined,
  // Not `||`: an empty key, as CI leaves for a missing secret, must not turn the check of signatures off.
  auditKey: env.HOLDPOINT_AUDIT_KEY,
  data: env.HOLDPOINT_DATA || undefined,
  dataHome: env.XDG_DATA_HOME || env.LOCALAPPDATA || undefined,
  port: env.PORT || undefined,
  demo: env.HOLDPOINT_DEMO || undefined,
  debug: isOn(env.HOLDPOINT_DEBUG),
}

const context: Context = {
  settings,
  environment: Object.fromEntries(
    Object.entries(env).filter(([name]) => name === 'PORT' || name.startsWith('HOLDPOINT_')),
  ),
  cwd: process.cwd(),
  stdin,
  stdout,
  interactive: stdin.isTTY === true && stdout.isTTY === true,
  style: stdout.isTTY && !env.NO_COLOR && env.TERM !== 'dumb' ? ansiStyle : plainStyle,
  columns: () => Math.min(stdout.columns || 80, 120),
  now: () => Date.now(),
  out: (...lines) => void stdout.write(`${lines.join('\n')}\n`),
  err: (...lines) => void stderr.write(`${lines.join('\n')}\n`),
  takeSignals,
  answerOnly,
  quit,
}

// The reader may close the pipe early, as `head` does. That is no error.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const groups = outlinedCommands(loadCommand)
process.exitCode = await dispatch({ context, groups, argv: process.argv.slice(2) })

function takeSignals(): Stop {
  const controller = new AbortController()
  let code = 0
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
  const onSignal = (signal: NodeJS.Signals) => {
    // A second signal ends the process at once.
    if (code !== 0) process.exit(code)
    code = codes[signal as keyof typeof codes]
    controller.abort()
  }
  const names = Object.keys(codes) as (keyof typeof codes)[]
  for (const name of names) process.on(name, onSignal)
  return {
    signal: controller.signal,
    get code() {
      return code
    },
    release() {
      for (const name of names) process.off(name, onSignal)
    },
  }
}

function answerOnly(words: (problem: string) => LastWords): void {
  // Code of the user, such as a policy that prints, must not mix with the answer.
  stdout.write = stderr.write.bind(stderr)
  process.on('uncaughtException', (error) => sayAtOnce(words(error instanceof Error ? error.message : String(error))))
  process.on('exit', () => {
    if (!answer.isGiven) sayAtOnce(words('something ended the process before there was an answer'))
  })
}

/** Prints the answer and ends the process. Nothing asynchronous works any more for certain. */
function sayAtOnce({ stdout: last, stderr: told, exitCode }: LastWords): never {
  answer.isGiven = true
  try {
    writeSync(2, told)
    for (let rest = Buffer.from(last); rest.length > 0; ) rest = rest.subarray(writeSync(1, rest))
  } catch {
    // Whoever reads the answer does not get it, and the exit code is all that is left.
    process.exit(2)
  }
  process.exit(exitCode)
}

async function quit({ stdout: last, stderr: told, exitCode }: LastWords): Promise<never> {
  answer.isGiven = true
  await new Promise((resolve) => stderr.write(told, resolve))
  const problem = await new Promise((resolve) => print(last, resolve))
  process.exit(problem ? 2 : exitCode)
}

function loginName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    // In a container the user may have no name.
    return undefined
  }
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0'
}
