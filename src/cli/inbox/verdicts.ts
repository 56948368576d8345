import type { Decision, JsonObject } from '../../index.ts'
import type { Context } from '../command-line/context.ts'
import { withChange } from '../decide/with-change.ts'
import { callLine, requestLine } from '../render/request.ts'
import { safeJson, visible } from '../render/visible.ts'
import { hanging } from '../render/width.ts'
import type { SeatRequest } from '../seat/seat.ts'

/** Who is asked, and what about. `line` throws when the request is overtaken or the person leaves. */
export interface Asking {
  readonly context: Context
  readonly request: SeatRequest
  line(prompt: string): Promise<string>
}

/** What the person wants; `undefined`: nothing, after all. */
export type Verdict = { decision: Decision } | { answer: unknown }

/** Letters for what can be decided. */
export const KEYS = { approve: 'a', edit: 'e', reject: 'r', respond: 's' } as const satisfies Record<
  Decision['type'],
  string
>

/** Takes one kind of decision, with a confirmation that says what will happen. */
export async function askDecision(type: Decision['type'], asking: Asking): Promise<Verdict | undefined> {
  switch (type) {
    case 'approve':
      return (await confirmed(`Approve: ${requestLine(asking.request)}`, asking)) ? { decision: { type } } : undefined
    case 'edit':
      return askEdit(asking)
    case 'reject': {
      const message = await asking.line('Why not? The agent reads it (Enter for no reason): ')
      if (!(await confirmed(`Reject: ${requestLine(asking.request)}`, asking, 'low'))) return undefined
      return { decision: { type, ...(message === '' ? {} : { message }) } }
    }
    case 'respond': {
      const message = await asking.line('What is the result? The agent reads it, and the call does not run: ')
      if (message === '' || !(await confirmed('Answer in its place', asking, 'low'))) return undefined
      return { decision: { type, message } }
    }
    default:
      return type satisfies never
  }
}

/** A letter lets nothing run that is of high risk: it takes the whole word. */
async function confirmed(what: string, { context, request, line }: Asking, risk = request.risk): Promise<boolean> {
  const word = risk === 'high' ? 'approve' : 'y'
  context.out(...hanging(what, context.columns()).map((each) => context.style.bold(each)))
  const typed = await line(risk === 'high' ? 'High risk. Type approve to let it run: ' : 'Sure? [y/N] ')
  const sure = typed.toLowerCase() === word || (word === 'y' && typed.toLowerCase() === 'yes')
  if (!sure) context.out('Nothing was decided.')
  return sure
}

async function askEdit(asking: Asking): Promise<Verdict | undefined> {
  const { context, request, line } = asking
  const { toolName = '', args: shown = {}, argsInput = shown } = request
  let args: JsonObject = argsInput
  for (;;) {
    const typed = await line('field=value (Enter when done, b to go back): ')
    if (typed === 'b') return undefined
    if (typed === '') break
    const changed = withChange(args, typed)
    if (!changed.ok) context.out(context.style.bad(visible(changed.problem)))
    else {
      args = changed.args
      context.out(context.style.bold(callLine({ toolName, args })))
    }
  }
  if (args === argsInput) {
    context.out('Nothing was changed.')
    return undefined
  }
  if (!(await confirmed(`Approve with changes: ${callLine({ toolName, args })}`, asking))) return undefined
  return { decision: { type: 'edit', args } }
}

/** Takes the answer to a yes-or-no question or to a form. */
export async function askAnswer(asking: Asking): Promise<Verdict | undefined> {
  const { request, line, context } = asking
  if (request.kind === 'confirm') {
    const typed = (await line('[y]es  [n]o  [b]ack > ')).toLowerCase()
    const answer = /^y(es)?$/.test(typed) ? true : /^no?$/.test(typed) ? false : undefined
    return answer === undefined ? undefined : { answer }
  }
  const entries: [string, string | string[]][] = []
  for (const { key, prompt, multiSelect, required = true } of request.questions ?? []) {
    const hint = [...(multiSelect ? ['several with commas'] : []), ...(required ? [] : ['Enter to skip'])].join(', ')
    const typed = await line(`${visible(prompt)}${hint === '' ? '' : ` (${hint})`}: `)
    if (typed === '' && !required) continue
    const several = typed.split(',').map((each) => each.trim())
    entries.push([key, multiSelect ? several.filter((each) => each !== '') : typed])
  }
  const answer = Object.fromEntries(entries)
  context.out(context.style.bold(safeJson(answer)))
  return (await confirmed('Send these answers', asking, 'low')) ? { answer } : undefined
}
