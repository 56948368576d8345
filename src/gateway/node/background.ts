import type { GatewayParts } from '../gateway-parts.ts'
import { runWebhooks } from '../webhooks/running.ts'
import { startPruning } from './pruning.ts'
import { startRetaining } from './retaining.ts'
import { startSweeping } from './sweeping.ts'

/** The part of the grace period after which attempts to send webhooks are cut off: the rest is for recording that. */
const CUT_AFTER = 0.5

/**
 * Starts what a gateway does by itself while it is served: it records expired deadlines, deletes what is old, erases threads that are too old, and sends webhooks. Returns how to stop,
 * which waits for what is under way, at most `graceMs`.
 */
export function startBackground(
  parts: GatewayParts,
  sweepEveryMs: number | false,
): (graceMs: number) => Promise<unknown> {
  const stops = [
    ...(sweepEveryMs === false ? [] : [startSweeping(parts, sweepEveryMs), startPruning(parts)]),
    startRetaining(parts),
    runWebhooks(parts),
  ]
  return (graceMs) => Promise.all(stops.map((stop) => inTime(stop(graceMs * CUT_AFTER), graceMs)))
}

/** Waits for `work`, at most `ms`. */
async function inTime(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
