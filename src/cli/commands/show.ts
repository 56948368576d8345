import { type Desk, type HitlRequest, openDesk, type StandingGrant } from '../../index.ts'
import { layoutOf } from '../command-line/card-layout.ts'
import { type Command, fullOption } from '../command-line/command.ts'
import { grantLines } from '../render/grant.ts'
import { requestCard } from '../render/request.ts'
import { safeJson } from '../render/visible.ts'
import { findByShortId } from '../store/find-request.ts'
import { withStore } from '../store/open-store.ts'

/** Shows one request with everything there is to know for deciding it. */
export const show: Command = {
  name: 'show',
  summary: 'show one request: what would run, and who asks',
  usage: 'ID [--full]',
  options: { ...fullOption },
  positionals: { min: 1, max: 1 },
  run: (call) =>
    withStore(call, async (store) => {
      const { context } = call
      const desk = openDesk({ store })
      const request = await findByShortId(desk, call.args[0] ?? '')
      if (call.flag('json')) {
        context.out(safeJson(request))
        return 0
      }
      const layout = layoutOf(context, { full: call.flag('full') })
      context.out(...requestCard(request, layout))
      for (const [title, grant] of await grantsOf(desk, request)) {
        context.out('', `  ${context.style.dim(title)}`, ...grantLines(grant, layout).map((line) => `  ${line}`))
      }
      return 0
    }),
}

/** The standing decision that decided a request, and those that its own decision gave. */
async function grantsOf(
  desk: Desk,
  { id, threadId, toolName, decision }: HitlRequest,
): Promise<[string, StandingGrant][]> {
  if (!decision) return []
  if (decision.by.kind === 'grant') return [['decided by this standing decision', await desk.grant(decision.by.id)]]
  const { grants } = await desk.grants({
    status: 'all',
    threadId,
    limit: 500,
    ...(toolName === undefined ? {} : { tool: toolName }),
  })
  return grants.flatMap((grant) => (grant.requestId === id ? [['it also gave this standing decision', grant]] : []))
}
