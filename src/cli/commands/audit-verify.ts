import type { Call, Command } from '../command.ts'
import { type ThreadName, threadsOf } from '../list-threads.ts'
import { withStore } from '../open-store.ts'
import { safeJson, visible } from '../render/visible.ts'
import { type ChainCheck, verifyChain } from '../verify-chain.ts'

/** Checks that nothing of the record was changed. */
export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'check that no entry of the record was changed, moved or taken out',
  usage: '[--thread ID]',
  options: { thread: { value: 'ID', help: 'this thread only; else all of them' } },
  positionals: { min: 0, max: 0 },
  run: (call) =>
    withStore(call, async (store) => {
      const checks: Checked[] = []
      for (const thread of await threadsOf(call, store)) {
        checks.push({ ...thread, check: await verifyChain(store.tenant(thread.tenant), thread.threadId) })
      }
      const ok = checks.every(({ check }) => check.ok)
      if (call.flag('json')) {
        call.context.out(safeJson({ ok, threads: checks.map(({ check, ...thread }) => ({ ...thread, ...check })) }))
      } else print(call, checks)
      return ok ? 0 : 1
    }),
}

interface Checked extends ThreadName {
  check: ChainCheck
}

function print({ context }: Call, checks: readonly Checked[]): void {
  const { style } = context
  for (const { tenant, threadId, check } of checks) {
    const name = `${visible(threadId)}${tenant === 'default' ? '' : ` (tenant ${visible(tenant)})`}`
    if (check.ok) context.out(`${style.good('ok')}      ${name}  ${check.entries} entries`)
    else context.out(`${style.bad('BROKEN')}  ${name}  entry ${check.seq}: ${check.problem}`)
  }
  const broken = checks.filter(({ check }) => !check.ok).length
  const all = checks.length === 1 ? '1 thread' : `${checks.length} threads`
  if (broken > 0) context.out('', `${broken} of ${all}: not what was written.`)
  else context.out('', `${all} checked: every entry follows from the one before it.`)
}
