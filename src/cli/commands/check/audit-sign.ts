import type { Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { auditKeysOf } from '../../store/audit-keys.ts'
import { threadsOf } from '../../store/list-threads.ts'
import { withStore } from '../../store/open-store.ts'
import { verifyChain } from '../../store/verify-chain.ts'

/** What happened to a thread. */
type Done = 'signed' | 'already signed' | 'not signed'

/** Signs threads that have no signature, or one of an older key. A thread that does not verify is not signed. */
export const auditSign: Command = {
  name: 'audit sign',
  summary: 'sign threads with the newest audit key',
  about: 'Each thread is verified first. A thread that does not verify is not signed.',
  usage: '[--thread ID] --audit-key-file FILE',
  options: { thread: { value: 'ID', help: 'only this thread (default: all threads)' } },
  positionals: { min: 0, max: 0 },
  run: (call) =>
    withStore(call, async (store) => {
      const auditKeys = auditKeysOf(call)
      if (auditKeys.length === 0) throw new UsageError('audit sign needs --audit-key-file or HOLDPOINT_AUDIT_KEY')
      const threads: { tenant: string; threadId: string; done: Done; problem?: string }[] = []
      for (const thread of await threadsOf(call, store)) {
        const own = store.tenant(thread.tenant)
        const { version, hash, mac } = await own.readHead(thread.threadId)
        // A thread without a signature is verified without keys.
        const check = await verifyChain(own, thread.threadId, { auditKeys: mac ? auditKeys : [] })
        if (!check.ok) threads.push({ ...thread, done: 'not signed', problem: check.problem })
        else if (version === 0 || mac?.key === auditKeys[0]!.id) threads.push({ ...thread, done: 'already signed' })
        else {
          const { ok } = await own.append({ threadId: thread.threadId, entries: [], version, sign: hash })
          threads.push({
            ...thread,
            done: ok ? 'signed' : 'not signed',
            ...(ok ? {} : { problem: 'it was written to meanwhile: run this again' }),
          })
        }
      }
      const ok = threads.every(({ done }) => done !== 'not signed')
      if (call.flag('json')) call.context.out(safeJson({ ok, threads }))
      else
        call.context.out(
          ...threads.map(
            ({ threadId, done, problem }) =>
              `${done.padEnd(14)}  ${visible(threadId)}${problem ? `  ${visible(problem)}` : ''}`,
          ),
        )
      return ok ? 0 : 1
    }),
}
