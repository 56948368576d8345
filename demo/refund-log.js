import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Stands in for a bank: a file with one line for each time that the tool really ran.
 * @typedef {{ append(refund: Refund): void, linesOf(threadId: string): string[] }} RefundLog
 * @typedef {{ threadId: string, orderId: string, amount: string, approvedBy: string, idempotencyKey: string }} Refund
 */

/** @param {string} path @returns {RefundLog} */
export function refundLog(path) {
  return {
    append({ threadId, orderId, amount, approvedBy, idempotencyKey }) {
      mkdirSync(dirname(path), { recursive: true })
      const fields = { thread: threadId, order: orderId, amount, approvedBy, key: idempotencyKey }
      const text = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      appendFileSync(path, `${new Date().toISOString()} refunded ${text.join(' ')}\n`, { flush: true })
    },
    linesOf: (threadId) => readLines(path).filter((line) => line.includes(` thread=${JSON.stringify(threadId)} `)),
  }
}

/** @param {string} path */
function readLines(path) {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return []
    throw error
  }
}
