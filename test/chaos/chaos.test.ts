import { expect, it } from 'vitest'
import { drawPlan } from './plan.ts'
import { runChaos } from './run-chaos.ts'

/** What `npm run chaos` asks for. */
interface Asked {
  seed: number
  minutes: number
  threads: number
}

const asked = process.env.HOLDPOINT_CHAOS ? (JSON.parse(process.env.HOLDPOINT_CHAOS) as Asked) : undefined
const { seed, minutes, threads } = asked ?? { seed: 1, minutes: 0.15, threads: 24 }
const forMs = Math.round(minutes * 60_000)
const settleMs = 90_000
/** Against hangs alone: a busy machine may be ten times as slow. */
const timeout = asked ? 10 * forMs + 1000 * threads + 600_000 : 300_000

for (const queue of ['bullmq', 'postgres'] as const) {
  it(
    `every decision is applied once and nothing is lost, whatever fails, with the queue on ${queue}`,
    async () => {
      const lines: string[] = []
      const tell = (line: string): void => {
        if (asked) process.stderr.write(`${line}\n`)
        else lines.push(line)
      }
      tell(`chaos: seed ${seed}, ${threads} threads, ${minutes} minutes of faults, queue on ${queue}`)
      const report = await runChaos(drawPlan({ seed, queue, threads, forMs }), { tell, settleMs })
      tell(`chaos: ${report.decisions} decisions, ${report.effects} tools started, settled in ${report.settledInMs} ms`)
      expect(report.problems, lines.join('\n')).toEqual([])
      expect(report.decisions).toBeGreaterThan(threads / 2)
    },
    timeout,
  )
}
