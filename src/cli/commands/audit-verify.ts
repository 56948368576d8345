import { type Store, ThreadNotFound } from '../../index.ts'
import { parseThreadId } from '../../protocol/ids.ts'
import type { Call, Command } from '../command.ts'
import { listThreads, type ThreadName } from '../list-threads.ts'
import { storePlace, withStore } from '../open-store.ts'
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

async function threadsOf(call: Call, store: Store): Promise<ThreadName[]> {
  const one = call.text('thread')
  const threadId = one === undefined ? undefined : parseThreadId(one)
  // The store looks at the file first: one that is damaged or not ours is refused there, in words.
  const { version } = await store.read(threadId ?? '', { after: Number.MAX_SAFE_INTEGER })
  if (threadId === undefined) return listThreads(storePlace(call).path)
  if (version === 0) throw new ThreadNotFound(threadId)
  return [{ tenant: store.tenantId, threadId }]
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
