// @ts-check
import { setTimeout as sleep } from 'node:timers/promises'

/** Bytes that this process uses, when what is not needed was collected. It needs `--expose-gc`. */
export async function collectedMemory() {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.()
    await sleep(50)
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, heap: heapUsed + external }
}
