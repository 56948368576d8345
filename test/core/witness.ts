import { callDigest } from '../../src/core/digest.ts'
import { findCall } from '../../src/core/queries.ts'
import type { ThreadState } from '../../src/core/state.ts'
import type { Entry } from '../../src/protocol/entries/entry.ts'
import type { Message } from '../../src/protocol/message.ts'

interface CallLog {
  releases: number
  starts: number
  verdict: string
  settled: boolean
  /** A person or a grant said yes, or the rule let it through. */
  cleared: boolean
}

/** Watches a journal grow and throws as soon as it breaks a guarantee. Knows entries and messages, nothing of how they are planned. */
export class Witness {
  readonly #calls = new Map<string, CallLog>()
  readonly #requests = new Map<string, { version: number; open: boolean; call: string }>()
  readonly #bodies = new Set<string>()
  readonly #messages: { message: Message; text: string }[] = []

  /** Called after each entry, with the state that includes it. */
  saw(entry: Entry, state: ThreadState): void {
    switch (entry.type) {
      case 'call.judged':
        must(!this.#calls.has(entry.call), `G7: call ${entry.call} was judged twice`)
        this.#calls.set(entry.call, {
          releases: 0,
          starts: 0,
          verdict: entry.verdict.kind,
          settled: false,
          cleared: entry.verdict.kind === 'allow',
        })
        break
      case 'request.opened':
        must(!this.#requests.has(entry.id), `request ${entry.id} was opened twice`)
        this.#requests.set(entry.id, { version: 1, open: true, call: entry.call ?? '' })
        break
      case 'request.decided':
      case 'request.closed':
        this.#change(entry, true)
        if (entry.type === 'request.decided' && ['approve', 'edit'].includes(entry.decision.type))
          this.#call(entry.call ?? '').cleared = true
        break
      case 'request.reopened':
        this.#change(entry, false)
        break
      case 'call.released':
        this.#released(entry)
        break
      case 'call.started': {
        const call = this.#call(entry.call)
        must(!call.settled, `G7: settled call ${entry.call} was started again`)
        must(call.starts < call.releases, `G2: call ${entry.call} was started without an unspent release`)
        call.starts += 1
        must(entry.attempt === call.starts, `G2: attempt ${entry.attempt} of ${entry.call} after ${call.starts - 1}`)
        this.#exact(entry.call, state)
        break
      }
      case 'call.finished':
      case 'call.refused': {
        const call = this.#call(entry.call)
        must(!call.settled, `G6: call ${entry.call} got a second result`)
        must(
          entry.type === 'call.refused' || entry.attempt === call.starts,
          `a stale attempt of ${entry.call} finished`,
        )
        call.settled = true
        break
      }
      default:
    }
    this.#history(state)
  }

  /** A body begins: it must be the one that the journal just started, and only once. */
  body(key: string, attempt: number): void {
    must(!this.#bodies.has(`${key}#${attempt}`), `G2: attempt ${attempt} of ${key} ran twice`)
    must(this.#call(key).starts >= attempt, `G2: body ${key} ran before it was recorded`)
    this.#bodies.add(`${key}#${attempt}`)
  }

  #released(entry: Extract<Entry, { type: 'call.released' }>): void {
    const call = this.#call(entry.call)
    must(!call.settled, `settled call ${entry.call} was released`)
    must(call.cleared || entry.by.kind === 'grant', `G2: nobody cleared call ${entry.call}`)
    must(call.verdict === 'allow' || call.verdict === 'review', `${call.verdict} call ${entry.call} was released`)
    call.releases += 1
  }

  #change(entry: { id: string; version: number }, closes: boolean): void {
    const request = this.#requests.get(entry.id)
    must(request !== undefined, `request ${entry.id} was never opened`)
    must(request!.open === closes, `G4: request ${entry.id} was answered twice`)
    must(
      entry.version === request!.version + 1,
      `G4: request ${entry.id} went from ${request!.version} to ${entry.version}`,
    )
    request!.version = entry.version
    request!.open = !closes
  }

  /** G3: what was started is, digest for digest, what its release says. */
  #exact(key: string, state: ThreadState): void {
    const call = findCall(state, key as never)
    must(call?.phase.at === 'started', `${key} is not started`)
    if (call?.phase.at !== 'started') return
    const { tool, definition, args, digest } = call.phase.release
    must(callDigest({ tool, definition, args }) === digest, `G3: call ${key} is not what was released`)
  }

  /** G6: messages are only ever added. */
  #history({ messages }: ThreadState): void {
    must(messages.length >= this.#messages.length, 'G6: the history shrank')
    for (let i = 0; i < this.#messages.length; i++)
      must(messages.at(i) === this.#messages[i]!.message, `G6: message ${i} was replaced`)
    for (const message of messages.slice(this.#messages.length))
      this.#messages.push({ message, text: JSON.stringify(message) })
  }

  /** G6: no message was changed, and every call of a settled turn has exactly one result, in call order. */
  checkHistory(messages: readonly Message[], isOpen: boolean): void {
    must(messages.length === this.#messages.length, 'G6: the history was not watched')
    messages.forEach((message, i) => {
      must(JSON.stringify(message) === this.#messages[i]?.text, `G6: message ${i} was changed`)
      if (message.role !== 'assistant') return
      const made = message.toolCalls ?? []
      const results = messages.slice(i + 1, i + 1 + made.length)
      if (isOpen && i === messages.length - 1) return
      const ids = results.map((result) => (result.role === 'tool' ? result.toolCallId : result.role))
      must(ids.join() === made.map(({ id }) => id).join(), `G6: calls ${made.map(({ id }) => id)} got ${ids}`)
      must(messages[i + 1 + made.length]?.role !== 'tool', 'G6: a result too many')
    })
  }

  #call(key: string): CallLog {
    const call = this.#calls.get(key)
    if (!call) throw new Error(`call ${key} was never judged`)
    return call
  }
}

function must(holds: boolean, problem: string): void {
  if (!holds) throw new Error(problem)
}
