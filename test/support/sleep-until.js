import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Sleeps until a time in milliseconds since 1970, by which processes begin together. Returns at once if it is over, without the warning that Node
 * gives of a negative delay.
 * @param {number} at
 */
export async function sleepUntil(at) {
  const left = at - Date.now()
  if (left > 0) await sleep(left)
}
