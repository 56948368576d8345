import type { AgentEvent, HitlRequest, Message } from '../../index.ts'
import { textOf } from '../../protocol/message.ts'
import { layoutOf } from '../command-line/layout.ts'
import { callLine, requestCard } from '../render/request.ts'
import { visible } from '../render/visible.ts'
import type { Demo } from './demo.ts'

/** What the demo is, before anything happens. */
export function sayHello({ context, words }: Demo, threadId: string): void {
  context.out(
    context.style.bold('holdpoint demo: a support agent that must ask before it refunds.'),
    'The agent is scripted, so no model and no key is needed. The stop, the store and the tools are real.',
    context.style.dim(`thread ${threadId} in ${visible(words.storePath)}`),
    '',
  )
}

/** The demo was left, or killed, before it was over. */
export function sayWelcomeBack({ context, words }: Demo, threadId: string): void {
  context.out(
    context.style.bold('Welcome back. The demo was not over, and nothing was lost.'),
    context.style.dim(`thread ${threadId} in ${visible(words.storePath)}`),
    '',
  )
}

/** What was said and done. */
export function sayMessages({ context }: Demo, messages: readonly Message[]): void {
  const line = (who: string, text: string) => context.out(`${context.style.dim(who.padEnd(10))}${text}`)
  for (const message of messages) {
    const text = visible(textOf(message.content))
    switch (message.role) {
      case 'user':
        line('customer', text)
        break
      case 'assistant':
        if (text !== '') line('agent', text)
        for (const call of message.toolCalls ?? []) line('', `→ ${callLine({ toolName: call.name, args: call.args })}`)
        break
      case 'tool':
        for (const each of textOf(message.content).split('\n')) line('', `← ${visible(each)}`)
        break
      case 'system':
        break
    }
  }
}

/** What is said and done, as it happens. */
export function sayEvent(demo: Demo, event: AgentEvent): void {
  switch (event.type) {
    case 'agent_start':
      return sayMessages(demo, event.input)
    case 'message':
      return sayMessages(demo, [event.message])
    case 'tool_end': {
      const { toolCallId, toolName, result } = event
      return sayMessages(demo, [{ role: 'tool', toolCallId, toolName, ...result }])
    }
    default:
      return
  }
}

/** The question, as facts. */
export function sayQuestion({ context }: Demo, request: HitlRequest): void {
  const rule = context.style.dim('─'.repeat(Math.min(72, context.columns())))
  const still = request.reason === 'unknown_outcome' ? '' : ' It has not run.'
  context.out('', rule, `${context.style.accent('Stopped: this needs a decision.')}${still}`, '')
  context.out(...requestCard(request, layoutOf(context, { full: false })), rule)
}

/** How to decide where no keyboard is at hand. */
export function sayCommands({ context, words }: Demo, { id }: HitlRequest): void {
  context.out(
    `This is not a terminal, so decide from another shell, in ${visible(words.folder)}:`,
    '',
    `  ${words.command('requests')}`,
    `  ${words.command(`approve ${id}`)}`,
    `  ${words.command(`edit ${id} --set FIELD=VALUE`)}`,
    `  ${words.command(`reject ${id} --message WHY`)}`,
    '',
    'Waiting. It is safe to stop this process: the question stays.',
  )
}

/** Somebody decided from elsewhere. */
export function sayDecided({ context }: Demo, request: HitlRequest): void {
  const { decision } = request
  if (!decision) return context.out(`The request is ${request.status} now.`)
  const via = decision.by.via === undefined ? '' : ` (${visible(decision.by.via)})`
  const said = 'message' in decision && decision.message !== undefined ? `: ${visible(decision.message)}` : ''
  context.out(`${visible(decision.by.id)}${via} decided from elsewhere: ${context.style.bold(decision.type)}${said}`)
}

/** The person goes. What was asked stays asked; what was under way goes on from where it was. */
export function sayGoodbye({ context, words }: Demo, at: 'question' | 'work'): void {
  const what = at === 'question' ? 'the question stays open' : 'it goes on from here'
  context.out(`Nothing is lost: ${what}.`, `Come back with  ${words.comeBack}`)
}

/** How it ended, with the evidence. */
export function sayEnd({ context, words, deps }: Demo, threadId: string): void {
  const lines = deps.refunds.linesOf(threadId)
  const times = lines.length === 1 ? 'once' : `${lines.length} times`
  context.out('')
  if (lines.length === 0) context.out('No refund was made.')
  else {
    const log = visible(words.refundsPath)
    context.out(`The refund ran ${times}. Each run writes one line to ${log}, with its idempotency key:`)
    context.out(...lines.map((line) => `  ${visible(line)}`))
  }
  context.out('', `Check the record   ${words.command('audit verify')}`, `Start over         ${words.comeBack}`)
}
