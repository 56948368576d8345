import type { StoreWarning } from '../../../sqlite.ts'
import type { Command } from '../../command-line/command.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { withStore } from '../../store/open-store.ts'

/** Reports what makes a store less durable than it should be. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'check that the store is as durable as it should be',
  about: 'It looks at the settings of the server, or at the file system of the file.',
  usage: '',
  options: {},
  positionals: { min: 0, max: 0 },
  async run(call) {
    const warnings: StoreWarning[] = []
    await withStore(
      call,
      (store) => store.threads({ limit: 1 }),
      (warning) => warnings.push(warning),
    )
    const { context } = call
    if (call.flag('json')) context.out(safeJson({ ok: warnings.length === 0, warnings }))
    else if (warnings.length === 0) context.out('The store opens, and no setting is known to be unsafe.')
    else
      context.out(
        ...warnings.map(({ code, message }) => `${context.style.bad('UNSAFE')}  ${visible(message)} [${code}]`),
      )
    return warnings.length === 0 ? 0 : 1
  },
}
