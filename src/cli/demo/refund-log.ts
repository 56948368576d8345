import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Where the demo's refunds go instead of a bank: one line for each time that the tool really ran. */
export interface RefundLog {
  append(refund: Refund): void
  /** The lines of one thread. */
  linesOf(threadId: string): string[]
}

/** One refund that was made. */
interface Refund {
  threadId: string
  orderId: string
  amount: string
  approvedBy: string
  idempotencyKey: string
}

/** A log in a file. */
export function refundLog(path: string): RefundLog {
  return {
    append({ threadId, orderId, amount, approvedBy, idempotencyKey }) {
      mkdirSync(dirname(path), { recursive: true })
      const fields = { thread: threadId, order: orderId, amount, approvedBy, key: idempotencyKey }
      const text = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      appendFileSync(path, `${new Date().toISOString()} refunded ${text.join(' ')}\n`, { flush: true })
    },
    linesOf: (threadId) => read(path).filter((line) => line.includes(` thread=${JSON.stringify(threadId)} `)),
  }
}

function read(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
