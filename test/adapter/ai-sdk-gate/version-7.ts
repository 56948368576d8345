// Runs the cases with the AI SDK 7, which needs Node 22. Prints what failed, by case, as JSON.
import * as ai from 'ai-v7'
import { adapterConformance } from '../../../src/testing.ts'
import { cases } from './cases.ts'
import { aiSdkHarness, loops } from './harness.ts'
import type { Sdk } from './host.ts'

const sdk = ai as unknown as Sdk
const checks = Object.entries(cases).map(([name, check]) => ({ name, run: () => check(sdk) }))
for (const loop of loops) {
  const harness = aiSdkHarness(sdk, loop)
  for (const { name, run } of adapterConformance) checks.push({ name: `${loop}: ${name}`, run: () => run(harness) })
}
const results: Record<string, string> = {}
for (const { name, run } of checks) {
  results[name] = await run().then(
    () => 'passed',
    (error: unknown) => (error as Error).stack ?? String(error),
  )
}
process.stdout.write(`\n${JSON.stringify(results)}\n`)
