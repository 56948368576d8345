import { createHash } from 'node:crypto'
import { test } from 'vitest'
import { Session } from 'node:inspector/promises'
import { writeFileSync } from 'node:fs'
import { simulate } from './simulate.ts'
import { drawPlan } from './world/plan.ts'
test('try', async () => {
  for (let i = 0; i < 3; i++) await simulate(drawPlan(i))
  const session = new Session(); session.connect(); if (process.env.P) { await session.post('Profiler.enable'); await session.post('Profiler.start') }
  const began = performance.now()
  const n = Number(process.env.N ?? 1), first = Number(process.env.S ?? 1)
  let steps = 0
  const hash = createHash('sha256')
  for (let seed = first; seed < first + n; seed++) {
    const { violations, story, steps: s } = await simulate(drawPlan(seed))
    steps += s
    if (process.env.H) console.log(seed, createHash('sha256').update(story.join('\n')).digest('hex').slice(0, 8))
    if (process.env.R) { const again = await simulate(drawPlan(seed)); if (again.story.join('\n') !== story.join('\n')) console.log('DIFFERS', seed) }
    if (violations.length > 0 || process.env.V) console.log(seed, violations, process.env.V ? story.join('\n') : '')
  }
  if (process.env.P) writeFileSync('/tmp/simprof/p.cpuprofile', JSON.stringify((await session.post('Profiler.stop')).profile))
  console.log(n, steps, performance.now() - began)
}, 600_000)
