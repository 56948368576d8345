import type { InboxClient, Verification } from '../../../client.ts'
import { ThreadNotFound } from '../../../protocol/errors/errors.ts'
import type { Call } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { erasedLine } from '../../render/erased-line.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { found } from '../../seat/found.ts'

/** Lets a gateway check the hash chains, part by part. */
export async function verifyAtGateway(call: Call, client: InboxClient): Promise<number> {
  if (call.text('anchor') !== undefined)
    throw new UsageError('--anchor needs the store: a gateway does not tell the heads of its threads')
  const { context } = call
  const checked = await verify(client, call.text('thread'))
  if (call.flag('json')) context.out(safeJson(checked))
  else {
    const { style } = context
    for (const { threadId, problem } of checked.problems)
      context.out(`${style.bad('BROKEN')}  ${visible(threadId)}  ${visible(problem)}`)
    const all = `${checked.threads} ${checked.threads === 1 ? 'thread' : 'threads'} with ${checked.entries} entries`
    if (checked.ok) context.out(`${style.good('ok')}  ${all} checked: every entry follows from the one before it.`)
    else context.out('', `${checked.problems.length} of ${all} BROKEN: not what was written.`)
    if (checked.erased > 0) context.out(erasedLine(checked.erased))
    if (!checked.signed) context.out('Not every head is signed, or the gateway has no key to check signatures.')
  }
  return checked.ok ? 0 : 1
}

async function verify(client: InboxClient, thread: string | undefined): Promise<Verification> {
  if (thread !== undefined) return found(client.verify({ thread }), new ThreadNotFound(thread))
  const all: Verification = { ok: true, threads: 0, entries: 0, erased: 0, signed: true, problems: [] }
  for (let after: string | undefined = '', first = true; after !== undefined; first = false) {
    const part: Verification = await client.verify(first ? {} : { after })
    all.ok &&= part.ok
    all.signed &&= part.signed
    all.threads += part.threads
    all.entries += part.entries
    all.erased += part.erased
    all.problems.push(...part.problems)
    after = part.next
  }
  return all
}
