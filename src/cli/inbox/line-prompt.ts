import { clearLine, createInterface, cursorTo, type Interface } from 'node:readline'
import type { Context } from '../command-line/context.ts'

/** The person left: at the end of input, or with Ctrl-C. */
export class Left extends Error {
  readonly code: number

  constructor(code: number) {
    super('left')
    this.code = code
  }
}

/** What was being asked is over: it was decided elsewhere, or it changed. */
export class Overtaken extends Error {}

/** Reads lines at the bottom of the terminal, while news are printed above. */
export class LinePrompt {
  readonly #context: Context
  readonly #lines: Interface
  /** Ends the question that is being asked. */
  #end: ((error: Error) => void) | undefined
  #left: Left | undefined

  constructor(context: Context) {
    this.#context = context
    this.#lines = createInterface({ input: context.stdin, output: context.stdout, terminal: true })
    this.#lines.on('SIGINT', () => this.#leave(130))
    this.#lines.on('close', () => this.#leave(0))
  }

  /** The line that the person types, without spaces around it. Throws `Left` or `Overtaken`. */
  async ask(prompt: string, overtaken?: AbortSignal): Promise<string> {
    if (this.#left) throw this.#left
    if (overtaken?.aborted) throw new Overtaken()
    const over = new AbortController()
    const onOvertaken = () => this.#end?.(new Overtaken())
    overtaken?.addEventListener('abort', onOvertaken)
    try {
      return await new Promise<string>((resolve, reject) => {
        this.#end = reject
        this.#lines.question(prompt, { signal: over.signal }, (line) => resolve(line.trim()))
      })
    } catch (error) {
      over.abort()
      this.#context.out('')
      throw error
    } finally {
      this.#end = undefined
      overtaken?.removeEventListener('abort', onOvertaken)
    }
  }

  /** Prints lines above what is being typed. */
  above(...lines: string[]): void {
    if (!this.#end) return this.#context.out(...lines)
    const { stdout } = this.#context
    cursorTo(stdout, 0)
    clearLine(stdout, 0)
    this.#context.out(...lines)
    this.#lines.prompt(true)
  }

  close(): void {
    this.#lines.removeAllListeners('close')
    this.#lines.close()
  }

  #leave(code: number): void {
    this.#left ??= new Left(code)
    this.#end?.(this.#left)
  }
}
