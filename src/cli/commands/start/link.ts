import { CODE_MS, createCode, signInLink } from '../../../gateway/sign-in/codes.ts'
import { roles } from '../../../protocol/api/people.ts'
import type { Call, Command, Option } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { safeJson } from '../../render/visible.ts'
import { dataFolder, storeFileIn } from '../../serving/data-folder.ts'
import { lastRunIn } from '../../serving/running.ts'
import { withStore } from '../../store/open-store.ts'

/** Options of commands that sign somebody in. */
export const linkOptions = {
  by: { value: 'NAME', help: 'who signs in (default: HOLDPOINT_USER, else your login name)' },
  data: { value: 'DIR', help: 'the folder of its data (default: HOLDPOINT_DATA, else a folder of yours)' },
} satisfies Record<string, Option>

/** Prints an address that signs somebody in. Whoever can write the store may do that. */
export const link: Command = {
  name: 'link',
  summary: 'print an address that signs somebody in, once',
  about:
    'The address has a code in it that works once, within 10 minutes. Access to the store is what allows this, so give the address only to the person it is for.',
  usage: '[--by NAME] [--role ROLE …] [--group NAME …] [--url URL]',
  options: {
    ...linkOptions,
    role: {
      value: 'ROLE',
      multiple: true,
      help: 'reviewer, operator, admin or auditor (default: reviewer, operator and admin)',
    },
    group: { value: 'NAME', multiple: true, help: 'a group that the person is in' },
    url: { value: 'URL', help: 'where the inbox is (default: where holdpoint start serves this folder)' },
  },
  positionals: { min: 0, max: 0 },
  examples: [
    'link',
    'link --by ann --role reviewer --group finance',
    'link --store postgres://… --url https://inbox.example.com',
  ],
  async run(call) {
    const folder = dataFolder(call)
    const url = call.text('url') ?? lastRunIn(folder)?.url
    if (url === undefined || !URL.canParse(url))
      throw new UsageError(
        `say where the inbox is: --url URL. Nothing runs in the folder ${folder}: name another with --data or HOLDPOINT_DATA`,
      )
    const person = personOf(call)
    const printed = await withStore(inFolder(call, folder), async (store) =>
      signInLink(url, await createCode(store, person)),
    )
    const expiresAt = new Date(call.context.now() + CODE_MS).toISOString()
    call.context.out(call.flag('json') ? safeJson({ link: printed, expiresAt, person }) : printed)
    return 0
  },
}

/** Who signs in, and as what. Of `holdpoint start`, which has no roles to choose: everything that a team has. */
export function personOf(call: Call): { sub: string; tenant: string; roles: string[]; groups: string[] } {
  const sub = call.text('by') ?? call.context.settings.user
  if (sub === undefined || sub.trim() === '') throw new UsageError('say who signs in: --by NAME or HOLDPOINT_USER')
  const given = call.texts('role')
  const unknown = given.find((role) => role === 'agent' || !(roles as readonly string[]).includes(role))
  if (unknown !== undefined) throw new UsageError(`--role is reviewer, operator, admin or auditor, not '${unknown}'`)
  return {
    sub,
    tenant: call.text('tenant') ?? 'default',
    roles: given.length > 0 ? [...given] : ['reviewer', 'operator', 'admin'],
    groups: [...call.texts('group')],
  }
}

/** Without a store that is named, the one in the data folder. */
function inFolder(call: Call, folder: string): Call {
  const named = call.text('store') ?? call.context.settings.store
  if (named !== undefined) return call
  return { ...call, text: (name) => (name === 'store' ? storeFileIn(folder) : call.text(name)) }
}
