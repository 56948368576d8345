// Runs the cases with the AI SDK 7, which needs Node 22. Prints what failed, by case, as JSON.
import * as ai from 'ai-v7'
import { cases } from './cases.ts'
import { casesOf, loops } from './harness.ts'
import type { Sdk } from './host.ts'
import { hostileCases } from './hostile-cases.ts'

const sdk = ai as unknown as Sdk
const checks = Object.entries({ ...cases, ...hostileCases }).map(([name, check]) => ({ name, run: () => check(sdk) }))
for (const loop of loops) for (const { name, run } of casesOf(sdk, loop)) checks.push({ name: `${loop}: ${name}`, run })
const results: Record<string, string> = {}
for (const { name, run } of checks) {
  results[name] = await run().then(
    () => 'passed',
    (error: unknown) => (error as Error).stack ?? String(error),
  )
}
process.stdout.write(`\n${JSON.stringify(results)}\n`)
