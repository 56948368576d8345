import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import type { Shell, ShellOutput } from 'holdpoint'

/**
 * Runs a few programs in one folder, without a shell: pipes, variables and wildcards are refused. This limits mistakes. Against malicious
 * programs put a container around it.
 */
export function localShell(limits: { root: string; programs: readonly string[]; timeoutMs: number }): Shell {
  const root = realpathSync(limits.root)
  return {
    async run({ commands, timeoutMs = limits.timeoutMs }, { signal }) {
      // Check all commands before the first one runs.
      const checked = commands.map((command) => check(command, root, limits.programs))
      const output: ShellOutput[] = []
      for (const words of checked) output.push(await start(words, root, Math.min(timeoutMs, limits.timeoutMs), signal))
      return { output, maxOutputLength: 10_000 }
    },
  }
}

function check(command: string, root: string, programs: readonly string[]): string[] {
  if (/[;&|<>$`(){}*?~\n\\]/.test(command)) throw new Error(`"${command}" is more than a program with arguments`)
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  )
  const [program = '', ...args] = words
  if (!programs.includes(program)) throw new Error(`only ${programs.join(', ')} may be run, not "${program}"`)
  for (const arg of args) {
    if (arg.startsWith('-') ? /[/.]/.test(arg) : !isInside(root, arg)) throw new Error(`"${arg}" is outside the folder`)
  }
  return words
}

/** Whether a path stays in the folder, with symlinks resolved. */
function isInside(root: string, path: string): boolean {
  let target = resolve(root, path)
  const missing: string[] = []
  for (;;) {
    try {
      const real = join(realpathSync(target), ...missing)
      return real === root || real.startsWith(root + sep)
    } catch {
      missing.unshift(target.slice(dirname(target).length))
      target = dirname(target)
    }
  }
}

function start(words: string[], cwd: string, timeout: number, signal: AbortSignal): Promise<ShellOutput> {
  const [program = '', ...args] = words
  return new Promise((done, fail) => {
    const env = { PATH: process.env.PATH ?? '' }
    const child = spawn(program, args, { cwd, env, signal, stdio: ['ignore', 'pipe', 'pipe'] })
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      child.kill('SIGKILL')
    }, timeout)
    const printed = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        if (printed[name].length < 100_000) printed[name] += text
      })
    child.on('error', fail)
    child.on('close', (exitCode) => {
      clearTimeout(timer)
      done({ ...printed, outcome: isLate ? { type: 'timeout' } : { type: 'exit', exitCode } })
    })
  })
}
