/** Where the thread is. A process that ends shuts the gate. */
const OUTSIDE = 0
const INSIDE = 1
const SHUT = 2

/** How long a process that ends waits for its threads. */
const PATIENCE_MS = 5000

/** What the thread and the program's own thread share. */
export type GateMemory = SharedArrayBuffer

/** An open gate, with the thread outside. */
export function createGate(): GateMemory {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
}

/** For the thread: runs work that calls SQLite, unless the process is ending. */
export function passGate(memory: GateMemory, work: () => void): void {
  const state = new Int32Array(memory)
  if (Atomics.compareExchange(state, 0, OUTSIDE, INSIDE) !== OUTSIDE) return
  try {
    work()
  } finally {
    Atomics.store(state, 0, OUTSIDE)
    Atomics.notify(state, 0)
  }
}

/** Waits until the thread is outside, and lets it in no more. `end`: when to give up. */
function shutGate(memory: GateMemory, end: number): void {
  const state = new Int32Array(memory)
  while (Atomics.compareExchange(state, 0, OUTSIDE, SHUT) === INSIDE) {
    if (Atomics.wait(state, 0, INSIDE, Math.max(0, end - performance.now())) === 'timed-out') return
  }
}

/** The gates of this process: one listener for all of them, since Node warns of more than ten. */
const gates = new Set<GateMemory>()
const shutAll = (): void => {
  const end = performance.now() + PATIENCE_MS
  for (const gate of gates) shutGate(gate, end)
}

/**
 * For the program's own thread: shuts a gate when the process ends. Node ends threads wherever they are, and libsql does not survive that inside of a call: it
 * aborts the process, whose exit code is then 134. Returns a function that forgets the gate.
 */
export function shutAtExit(memory: GateMemory): () => void {
  // Before those of the program: one that throws, or calls `process.exit` again, is the last that Node calls.
  if (gates.size === 0) process.prependListener('exit', shutAll)
  gates.add(memory)
  return () => {
    gates.delete(memory)
    if (gates.size === 0) process.off('exit', shutAll)
  }
}
