import { expect, it } from 'vitest'
import { z } from 'zod'
import { callDigest } from '../../src/core/digest.ts'
import type { ThreadState } from '../../src/core/state.ts'
import { Agent, tool } from '../../src/index.ts'
import type { Entry } from '../../src/protocol/entries/entry.ts'
import { type CallStarter, startCalls } from '../../src/runtime/steps/start.ts'
import { scriptedModel } from '../../src/testing.ts'
import { ANN, Journal, key, make } from './journal.ts'

const agent = new Agent({
  name: 'agent',
  model: scriptedModel([]),
  tools: [tool({ name: 'pay', description: 'pay', parameters: z.object({ n: z.number() }), execute: () => 'ok' })],
})
const definition = agent.requireTool('pay').fingerprint
const digestOf = (n: number) => callDigest({ tool: 'pay', definition, args: { n } })

/** A thread whose call waits to be started on the last of these releases: the earlier ones were withdrawn. */
function releasedFor(...amounts: number[]): Journal {
  const journal = new Journal().add(make.opened(), make.said(['pay']), make.judged(key(0), { definition }))
  journal.add(make.asked('r0', { call: key(0), definition }))
  for (const [index, n] of amounts.entries()) {
    const version = 2 + index * 2
    if (index > 0) journal.add(make.reopened('r0', { call: key(0), version: version - 1 }))
    const decision = { type: 'edit', args: { n } } as const
    journal.add(make.decided('r0', decision, { call: key(0), version }))
    journal.add(make.released(key(0), { digest: digestOf(n), definition, args: { n }, by: ANN }))
  }
  return journal
}

/** What is written when a driver that knows `seen` starts its calls and finds `found` when it writes. */
async function startedOn(seen: ThreadState, found: ThreadState): Promise<Entry[] | undefined> {
  let planned: readonly Entry[] | undefined
  const parts = {
    agent,
    journal: { state: found, now: () => Number.MAX_SAFE_INTEGER },
    factsContext: () => ({}),
    grants: { isGone: () => false },
    activation: {
      ensureMargin: async () => undefined,
      write: async (plan: (state: ThreadState) => { entries: readonly Entry[] } | undefined) => {
        planned = plan(found)?.entries
        return undefined
      },
    },
  } as unknown as CallStarter
  await startCalls(
    parts,
    [...seen.run!.frames.values()].flatMap(({ calls }) => calls),
  )
  return planned && [...planned]
}

it('G3: only the release that was compared with the tool is started, not one that took its place meanwhile', async () => {
  const { state } = releasedFor(10)
  expect(await startedOn(state, state)).toMatchObject([{ type: 'call.started', call: key(0), attempt: 1 }])
  expect(await startedOn(state, releasedFor(10, 999).state)).toBeUndefined()
})
