import { openDesk } from '../../index.ts'
import { type Command, fullOption } from '../command.ts'
import { findByShortId } from '../find-request.ts'
import { layoutOf } from '../layout.ts'
import { withStore } from '../open-store.ts'
import { requestCard } from '../render/request.ts'
import { safeJson } from '../render/visible.ts'

/** Shows one request with everything there is to know for deciding it. */
export const show: Command = {
  name: 'show',
  summary: 'show exactly what would run, and who asks',
  usage: 'ID [--full]',
  options: { ...fullOption },
  positionals: { min: 1, max: 1 },
  run: (call) =>
    withStore(call, async (store) => {
      const { context } = call
      const request = await findByShortId(openDesk({ store }), call.args[0] ?? '')
      if (call.flag('json')) context.out(safeJson(request))
      else context.out(...requestCard(request, layoutOf(context, { full: call.flag('full') })))
      return 0
    }),
}
