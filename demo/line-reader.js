import { createInterface } from 'node:readline'

/**
 * What came of asking for a line. `aborted`: the signal fired first.
 * @typedef {{ kind: 'line', text: string } | { kind: 'closed' | 'interrupted' | 'aborted' }} Line
 * @typedef {{ ask(prompt: string, signal: AbortSignal): Promise<Line>, close(): void }} LineReader
 */

/**
 * Reads lines while one question is open. Lines that arrive before they are asked for (pasted ones) are kept in order.
 * @param {import('./stage.js').Terminal} terminal
 * @returns {LineReader}
 */
export function lineReader({ stdin, stdout }) {
  const lines = createInterface({ input: stdin, output: stdout, terminal: true })
  /** @type {Line[]} */
  const early = []
  /** @type {((line: Line) => void) | undefined} */
  let waiting
  let closed = false

  /** @param {Line} line */
  const give = (line) => {
    if (waiting) waiting(line)
    else early.push(line)
  }
  lines.on('line', (text) => give({ kind: 'line', text }))
  // The terminal is in raw mode, so Ctrl-C arrives as a key and not as a signal.
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
          // Half a typed line stays visible: what follows starts on a new line.
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
