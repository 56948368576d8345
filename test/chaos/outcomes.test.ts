import { expect, it } from 'vitest'
import type { LoggedEffect } from './effects.js'
import { checkOutcomes } from './outcomes.ts'
import { drawPlan, KINDS, type Kind, tellFault } from './plan.ts'

const paid: Omit<LoggedEffect, 'threadId'> = {
  ...{
    tool: 'refund',
    toolCallId: 'refund',
    version: '1',
    key: 'k',
    attempt: 1,
    amount: 10,
    process: 'worker-1',
    at: 1,
  },
}

/** What is wrong with a thread of a kind that paid these amounts. */
function problemsOf(kind: Kind, amounts: readonly number[]): string[] {
  const threadId = `${kind}-1`
  const effects = amounts.map((amount) => ({ ...paid, threadId, amount }))
  return checkOutcomes({ threads: [{ threadId, kind, atMs: 0 }], effects, withdrawn: new Set(['withdraw-1']) })
}

it.each<[Kind, number[], string]>([
  ['approve', [], 'every approval is applied'],
  ['nested', [], 'every approval is applied'],
  ['undo', [], 'every approval is applied'],
  ['grant', [], 'every approval is applied'],
  ['edit', [10], 'what was edited runs as edited'],
  ['reject', [10], 'nothing starts after a rejection'],
  ['expire', [10], 'nothing starts after its deadline'],
  ['withdraw', [10], 'nothing starts after a withdrawal'],
])('the tools\' own log of "%s" with payments of %j breaks: %s', (kind, amounts, guarantee) => {
  expect(problemsOf(kind, amounts)).toEqual([`${guarantee}: ${kind}-1`])
})

it('the log of a sound thread of each kind breaks nothing', () => {
  for (const kind of ['approve', 'nested', 'undo', 'grant'] as const) expect(problemsOf(kind, [10])).toEqual([])
  for (const kind of ['reject', 'expire', 'withdraw'] as const) expect(problemsOf(kind, [])).toEqual([])
  expect(problemsOf('edit', [7])).toEqual([])
})

it('a plan is the same for the same seed, and the short form has every fault and every kind of thread', () => {
  const size = { queue: 'bullmq', threads: 24, forMs: 9000 } as const
  const plan = drawPlan({ seed: 1, ...size })
  expect(drawPlan({ seed: 1, ...size })).toEqual(plan)
  expect(drawPlan({ seed: 2, ...size }).faults.map(({ fault }) => tellFault(fault))).not.toEqual(
    plan.faults.map(({ fault }) => tellFault(fault)),
  )
  expect(new Set(plan.faults.map(({ fault }) => fault.kind))).toEqual(
    new Set(['kill', 'freeze', 'cut', 'delay', 'silence', 'lose', 'clock', 'restart']),
  )
  expect(new Set(plan.threads.map(({ kind }) => kind))).toEqual(new Set(KINDS))
})
