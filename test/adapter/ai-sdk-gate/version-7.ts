// Runs the cases with the AI SDK 7, which needs Node 22. Prints what failed, by case, as JSON.
import * as ai from 'ai-v7'
import { cases } from './cases.ts'
import type { Sdk } from './host.ts'

const results: Record<string, string> = {}
for (const [name, check] of Object.entries(cases)) {
  results[name] = await check(ai as unknown as Sdk).then(
    () => 'passed',
    (error: unknown) => (error as Error).stack ?? String(error),
  )
}
process.stdout.write(`\n${JSON.stringify(results)}\n`)
