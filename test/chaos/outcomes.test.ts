import { expect, it } from 'vitest'
import type { LoggedEffect } from './effects.js'
import { checkOutcomes } from './outcomes.ts'
import { drawPlan, KINDS, type Kind, TENANTS, tellFault } from './plan.ts'

const ran = { tool: 'refund', toolCallId: 'refund', version: '1', key: 'k', attempt: 1, process: 'worker-1', at: 1 }

/** What is wrong with a thread of a kind whose tool wrote down these amounts, or these answers. */
function problemsOf(kind: Kind, wrote: readonly (number | string)[]): string[] {
  const thread = { tenantId: 'second', threadId: `${kind}-1` }
  const effects = wrote.map(
    (what): LoggedEffect => ({
      ...{ ...ran, ...thread },
      amount: typeof what === 'number' ? what : null,
      answer: typeof what === 'string' ? what : null,
    }),
  )
  const acknowledged = [{ ...thread, kind: 'withdrawn', request: 'r', type: 'approve', at: 1 } as const]
  return checkOutcomes({ threads: [{ ...thread, kind, version: '1', atMs: 0 }], effects, acknowledged })
}

it.each<[Kind, (number | string)[], string]>([
  ['approve', [], 'every approval is applied'],
  ['nested', [], 'every approval is applied'],
  ['undo', [], 'every approval is applied'],
  ['grant', [], 'every approval is applied'],
  ['edit', [10], 'what was edited runs as edited'],
  ['reject', [10], 'nothing starts after a rejection'],
  ['expire', [10], 'nothing starts after its deadline'],
  ['withdraw', [10], 'nothing starts after a withdrawal'],
  ['confirm', [], 'every answer is applied'],
  ['confirm', ['false'], 'every answer is applied'],
  ['ask', ['{"why":"no idea"}'], 'every answer is applied'],
  ['unanswered', ['true'], 'nothing starts after its deadline'],
])('the tools\' own log of "%s" with %j breaks: %s', (kind, amounts, guarantee) => {
  expect(problemsOf(kind, amounts)).toEqual([`${guarantee}: second/${kind}-1`])
})

it('the log of a sound thread of each kind breaks nothing', () => {
  for (const kind of ['approve', 'nested', 'undo', 'grant'] as const) expect(problemsOf(kind, [10])).toEqual([])
  for (const kind of ['reject', 'expire', 'withdraw'] as const) expect(problemsOf(kind, [])).toEqual([])
  expect(problemsOf('edit', [7])).toEqual([])
  expect(problemsOf('confirm', ['true'])).toEqual([])
  expect(problemsOf('ask', ['{"why":"it came broken"}'])).toEqual([])
  expect(problemsOf('unanswered', [])).toEqual([])
  for (const wrote of [[], [10]]) expect(problemsOf('late', wrote)).toEqual([])
})

it('what a tool wrote down for another tenant does not count', () => {
  const threads = [{ tenantId: 'default', threadId: 'approve-1', kind: 'approve', version: '1', atMs: 0 } as const]
  const effects = [{ ...ran, tenantId: 'second', threadId: 'approve-1', amount: 10, answer: null }]
  expect(checkOutcomes({ threads, effects, acknowledged: [] })).toEqual([
    'every approval is applied: default/approve-1',
  ])
})

it('a plan is the same for the same seed, and the short form has every fault and every kind of thread', () => {
  const size = { queue: 'bullmq', threads: 24, forMs: 9000 } as const
  const plan = drawPlan({ seed: 1, ...size })
  expect(drawPlan({ seed: 1, ...size })).toEqual(plan)
  expect(drawPlan({ seed: 2, ...size }).faults.map(({ fault }) => tellFault(fault))).not.toEqual(
    plan.faults.map(({ fault }) => tellFault(fault)),
  )
  expect(new Set(plan.faults.map(({ fault }) => fault.kind))).toEqual(
    new Set(['kill', 'freeze', 'cut', 'delay', 'silence', 'lose', 'clock', 'deploy', 'restart']),
  )
  for (const { tenantId } of TENANTS) {
    const own = plan.threads.filter((thread) => thread.tenantId === tenantId)
    expect(new Set(own.map(({ kind }) => kind))).toEqual(new Set(KINDS))
    expect(new Set(own.map(({ version }) => version))).toEqual(new Set(['1', '2']))
  }
  for (const kind of ['kill', 'freeze'])
    expect(plan.faults.some(({ fault }) => fault.kind === kind && fault.on.startsWith('gateway'))).toBe(true)
})
