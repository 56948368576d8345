import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Clock } from '../../src/ports/clock.ts'
import type { Store } from '../../src/ports/store.ts'
import type { JsonObject } from '../../src/protocol/json/json.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'
import { gated, type RecordingTool } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

/** Where the same story is told. */
export const stores: [name: string, open: (clock?: Clock) => Store][] = [
  ['in memory', (clock) => memoryStore(clock ? { clock } : {})],
  [
    'in SQLite',
    (clock) => {
      const dir = mkdtempSync(join(tmpdir(), 'holdpoint-grants-'))
      const store = sqliteStore({ path: join(dir, 'store.db'), durability: 'process', ...(clock ? { clock } : {}) })
      onTestFinished(async () => {
        await store.close()
        rmSync(dir, { recursive: true, force: true })
      })
      return store
    },
  ],
]

const parameters = z.looseObject({ amount: z.number().optional() })

/** A tool that pays. */
export const payTool = (options: Parameters<typeof gated>[1] = {}): RecordingTool =>
  gated('pay', { parameters, ...options })

/** An agent that makes these calls of `pay`, one turn each unless they are in a list, then says that it is done. */
export function payer(turns: (JsonObject | JsonObject[])[], tool = payTool(), options: { id?: string } = {}) {
  const script = turns.map((turn, t) =>
    calls(...[turn].flat().map((args, i): [string, string, JsonObject] => [`c${t}.${i}`, 'pay', args])),
  )
  const { agent, model } = scripted([...script, 'Done.'], [tool], { name: 'payer', ...options })
  return { agent, model, pay: tool }
}
