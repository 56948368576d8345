import { createInterface, type Interface } from 'node:readline'
import type { Context } from '../command-line/context.ts'

/** What came of asking for a line. `aborted`: the signal fired first. */
type Line = { kind: 'line'; text: string } | { kind: 'closed' | 'interrupted' | 'aborted' }

/** Reads lines from a terminal while one question is open. */
export interface LineReader {
  ask(prompt: string, signal: AbortSignal): Promise<Line>
  close(): void
}

/** Starts reading. Lines that come before they are asked for (pasted ones) are kept in order. */
export function lineReader({ stdin, stdout }: Context): LineReader {
  const lines: Interface = createInterface({ input: stdin, output: stdout, terminal: true })
  const early: Line[] = []
  let waiting: ((line: Line) => void) | undefined
  let closed = false

  const give = (line: Line) => {
    if (waiting) waiting(line)
    else early.push(line)
  }
  lines.on('line', (text) => give({ kind: 'line', text }))
  // The terminal is in raw mode, so Ctrl-C comes as a key and not as a signal.
  lines.on('SIGINT', () => give({ kind: 'interrupted' }))
  lines.on('close', () => {
    if (!closed) give({ kind: 'closed' })
  })

  return {
    ask(prompt, signal) {
      const [first] = early.splice(0, 1)
      if (signal.aborted) return Promise.resolve({ kind: 'aborted' })
      if (first) {
        if (first.kind === 'line') stdout.write(`${prompt}${first.text}\n`)
        return Promise.resolve(first)
      }
      return new Promise((resolve) => {
        const onAbort = () => waiting?.({ kind: 'aborted' })
        waiting = (line) => {
          waiting = undefined
          signal.removeEventListener('abort', onAbort)
          // A line that was left in the middle is not written over.
          if (line.kind !== 'line') stdout.write('\n')
          resolve(line)
        }
        signal.addEventListener('abort', onAbort)
        lines.setPrompt(prompt)
        lines.prompt()
      })
    },
    close() {
      closed = true
      lines.close()
    },
  }
}
