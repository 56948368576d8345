import { textOf } from './messages.js'

/**
 * @typedef {import('./stage.js').Stage} Stage
 * @typedef {import('holdpoint').HitlRequest} HitlRequest
 * @typedef {import('holdpoint').Message} Message
 */

/** The first lines of a new demo. @param {Stage} stage @param {string} threadId */
export function sayHello({ terminal, print, words }, threadId) {
  terminal.out(
    terminal.style.bold('holdpoint demo: a support agent that must ask before it refunds.'),
    'The model is scripted, so you need no key. The stop, the store and the tools are real.',
    terminal.style.dim(`thread ${threadId} in ${print.text(words.storePath)}`),
    '',
  )
}

/** The first lines of a demo that was left, or killed, before it ended. @param {Stage} stage @param {string} threadId */
export function sayWelcomeBack({ terminal, print, words }, threadId) {
  terminal.out(
    terminal.style.bold('Welcome back. The demo was not over, and nothing was lost.'),
    terminal.style.dim(`thread ${threadId} in ${print.text(words.storePath)}`),
    '',
  )
}

const MARGIN = 10

/** The conversation. @param {Stage} stage @param {readonly Message[]} messages */
export function sayMessages({ terminal, print }, messages) {
  const { style, interactive, columns } = terminal
  // Where nobody looks on, a line stays whole, so that programs can search it.
  const width = interactive ? columns() - MARGIN : Number.POSITIVE_INFINITY
  /** @param {string} who @param {string} text */
  const line = (who, text) =>
    terminal.out(
      ...print.lines(text, width).map((each, index) => `${style.dim((index === 0 ? who : '').padEnd(MARGIN))}${each}`),
    )
  for (const message of messages) {
    const text = textOf(message.content)
    switch (message.role) {
      case 'user':
        line('customer', text)
        break
      case 'assistant':
        if (text !== '') line('agent', text)
        for (const { name, args } of message.toolCalls ?? []) line('', `→ ${print.call({ toolName: name, args })}`)
        break
      case 'tool':
        for (const each of text.split('\n')) line('', `← ${each}`)
        break
      case 'system':
        break
    }
  }
}

/** The conversation, as it happens. @param {Stage} stage @param {import('holdpoint').AgentEvent} event */
export function sayEvent(stage, event) {
  switch (event.type) {
    case 'agent_start':
      return sayMessages(stage, event.input)
    case 'message':
      return sayMessages(stage, [event.message])
    case 'tool_end': {
      const { toolCallId, toolName, result } = event
      return sayMessages(stage, [{ role: 'tool', toolCallId, toolName, ...result }])
    }
    default:
      return
  }
}

/** The question, with its facts. @param {Stage} stage @param {HitlRequest} request */
export function sayQuestion({ terminal, print }, request) {
  const { style } = terminal
  const rule = style.dim('─'.repeat(Math.min(72, terminal.columns())))
  const still = request.reason === 'unknown_outcome' ? '' : ' It has not run.'
  terminal.out('', rule, `${style.accent('Stopped: this needs a decision.')}${still}`, '')
  terminal.out(...print.request(request), rule)
}

/** How to decide without a keyboard here. @param {Stage} stage @param {HitlRequest} request */
export function sayCommands({ terminal, print, words }, { id }) {
  terminal.out(
    `This is not a terminal, so decide from another shell, in ${print.text(words.folder)}:`,
    '',
    `  ${words.command('requests')}`,
    `  ${words.command(`approve ${id}`)}`,
    `  ${words.command(`edit ${id} --set FIELD=VALUE`)}`,
    `  ${words.command(`reject ${id} --message WHY`)}`,
    '',
    'Waiting. It is safe to stop this process: the question stays.',
  )
}

/** The decision that somebody made elsewhere. @param {Stage} stage @param {HitlRequest} request */
export function sayDecided({ terminal, print }, request) {
  const { decision } = request
  if (!decision) return terminal.out(`The request is ${request.status} now.`)
  const via = decision.by.via === undefined ? '' : ` (${print.text(decision.by.via)})`
  const said = 'message' in decision && decision.message !== undefined ? `: ${print.text(decision.message)}` : ''
  terminal.out(
    `${print.text(decision.by.id)}${via} decided from elsewhere: ${terminal.style.bold(decision.type)}${said}`,
  )
}

/** The person leaves, at a question or while the agent works. @param {Stage} stage @param {'question' | 'work'} at */
export function sayGoodbye({ terminal, words }, at) {
  const what = at === 'question' ? 'the question stays open' : 'it goes on from here'
  terminal.out(`Nothing is lost: ${what}.`, `Come back with  ${words.comeBack}`)
}

/** How it ended, with the evidence: the lines of the refund log. @param {Stage} stage @param {readonly string[]} refunds */
export function sayEnd({ terminal, print, words }, refunds) {
  const times = refunds.length === 1 ? 'once' : `${refunds.length} times`
  terminal.out('')
  if (refunds.length === 0) terminal.out('No refund was made.')
  else {
    const log = print.text(words.refundsPath)
    terminal.out(`The refund ran ${times}. Each run writes one line to ${log}, with its idempotency key:`)
    terminal.out(...refunds.map((line) => `  ${print.text(line)}`))
  }
  terminal.out('', `Check the record   ${words.command('audit verify')}`, `Start over         ${words.comeBack}`)
}
