import type { LiveEvent, LiveState } from '../../client.ts'
import type { Decision, HitlRequest } from '../../index.ts'
import { layoutOf } from '../command-line/card-layout.ts'
import type { Context } from '../command-line/context.ts'
import { errorLine } from '../command-line/describe-error.ts'
import { consequence, PAST } from '../decide/consequence.ts'
import { afterWithdrawal, outcomeLines } from '../decide/outcome.ts'
import { commentLines } from '../render/comments.ts'
import { requestCard } from '../render/request.ts'
import { whenDue } from '../render/time.ts'
import { visible } from '../render/visible.ts'
import type { Seat, SeatRequest } from '../seat/seat.ts'
import { Left, LinePrompt, Overtaken } from './line-prompt.ts'
import { type News, type Numbered, Queue } from './queue.ts'
import { fateOf, newsLine, rowLines } from './rows.ts'
import { type Asking, askAnswer, askDecision, KEYS, type Verdict } from './verdicts.ts'

/** A person at a terminal: the list, one request at a time, and news as they come. */
export class InboxSession {
  readonly #context: Context
  readonly #seat: Seat
  readonly #queue: Queue
  readonly #prompt: LinePrompt
  readonly #ending = new AbortController()
  /** The request that is being read, and how to end its prompt. */
  #reading: { id: string; overtaken: AbortController } | undefined
  /** The last decision, as long as it can be taken back. */
  #undoable: HitlRequest | undefined
  #state: LiveState = 'connecting'
  /** A decision that is on its way. Events wait for it: a person's own decision is not shown as an event. */
  #sending: Promise<unknown> = Promise.resolve()
  /** Changes are taken one after another. */
  #changes: Promise<void> = Promise.resolve()

  constructor(context: Context, seat: Seat) {
    this.#context = context
    this.#seat = seat
    this.#queue = new Queue(seat)
    this.#prompt = new LinePrompt(context)
  }

  /** Runs until the person leaves. Resolves to the exit code. */
  async run(where: string): Promise<number> {
    const { context } = this
    const watched = this.#watch()
    try {
      await this.#queue.load()
      context.out(context.style.dim(`${visible(await this.#seat.who())} at ${where}`), '')
      this.#list()
      for (;;) await this.#choose()
    } catch (error) {
      if (error instanceof Left) return error.code
      throw error
    } finally {
      this.#ending.abort()
      this.#prompt.close()
      await watched
    }
  }

  get context(): Context {
    return this.#context
  }

  async #watch(): Promise<void> {
    const { signal } = this.#ending
    const onChange = (event: LiveEvent): void => {
      this.#changes = this.#changes.then(() => this.#heard(event)).catch((error: unknown) => this.#failed(error))
    }
    try {
      await this.#seat.watch({ onChange, onState: (state) => this.#stateIs(state), signal })
    } catch (error) {
      if (!signal.aborted) this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    this.#prompt.above(this.#context.style.bad(errorLine(error)))
  }

  #stateIs(state: LiveState): void {
    const before = this.#state
    this.#state = state
    const { style } = this.#context
    if (state === 'waiting' && before === 'live')
      this.#prompt.above(
        style.bad('The connection is lost. What is shown may be old; nothing is sent until you decide.'),
      )
    if (state === 'live' && before === 'waiting') this.#prompt.above(style.good('Connected again.'))
  }

  async #heard(event: LiveEvent): Promise<void> {
    await this.#sending
    if (event.type === 'reset') return this.#queue.load()
    const news = await this.#queue.take(event)
    if (!news || this.#ending.signal.aborted) return
    if (news.item.request.id === this.#reading?.id) return this.#overtake(news)
    this.#prompt.above(newsLine(news, this.#context))
  }

  /** The request that is being read is not what it was: the prompt goes away, and nothing is decided. */
  #overtake({ kind, item }: News): void {
    if (kind === 'new') return
    this.#reading?.overtaken.abort()
    const { style } = this.#context
    if (kind === 'gone') this.#context.out(style.accent(`It was ${fateOf(item.request)} meanwhile.`))
    else this.#context.out(style.accent('It changed while you were reading it. Nothing was decided; open it again.'))
  }

  #list(): void {
    const { context } = this
    const { open, more } = this.#queue
    if (open.length === 0) return context.out('Nothing waits for a decision. New requests appear here.')
    context.out(...open.flatMap((item) => rowLines(item, context)))
    if (more) context.out(context.style.dim('      There are more: holdpoint requests lists them all.'))
  }

  async #choose(): Promise<void> {
    const undo = this.#undoLeft()
    const keys = ['number', '[l]ist', ...(undo === undefined ? [] : [`[u]ndo (${undo})`]), '[q]uit']
    const typed = (await this.#prompt.ask(`${keys.join('  ')} > `)).toLowerCase()
    if (typed === '') return
    if (typed === 'q' || typed === 'quit') throw new Left(0)
    if (typed === 'l' || typed === 'list') {
      await this.#queue.load()
      return this.#list()
    }
    if (typed === 'u' || typed === 'undo') return this.#undo()
    const item = /^\d+$/.test(typed) ? this.#queue.at(Number(typed)) : undefined
    if (item) return this.#open(item)
    this.context.out('Type the number of a request, l, q or Enter.')
  }

  async #open({ request: { id } }: Numbered): Promise<void> {
    const { context } = this
    const item = await this.#queue.refresh(id)
    if (!item) return context.out('It is gone, or you may not see it any more.')
    const { request } = item
    const layout = layoutOf(context, { full: false })
    const comments = commentLines(await this.#seat.notes.comments(request), layout)
    context.out('', ...requestCard(request, layout), ...comments, '')
    if (request.status !== 'open') return
    const overtaken = new AbortController()
    this.#reading = { id, overtaken }
    try {
      const asking: Asking = { context, request, line: (prompt) => this.#prompt.ask(prompt, overtaken.signal) }
      await this.#decide(asking)
    } catch (error) {
      if (error instanceof Left) throw error
      if (!(error instanceof Overtaken)) context.out(context.style.bad(errorLine(error)))
      await this.#queue.refresh(id)
    } finally {
      this.#reading = undefined
    }
  }

  async #decide(asking: Asking): Promise<void> {
    const { request } = asking
    const verdict = await this.#verdict(asking)
    if (!verdict) return
    // From here on the change is our own.
    this.#reading = undefined
    this.#say(await this.#send(() => this.#give(request, verdict), request.id))
  }

  #give(request: SeatRequest, verdict: Verdict): Promise<SeatRequest> {
    if ('decision' in verdict) return this.#seat.decide(request, verdict.decision, {})
    return this.#seat.answer(request, verdict.answer, {})
  }

  async #send<T>(write: () => Promise<T>, id: string): Promise<T> {
    const sent = (async () => {
      try {
        return await write()
      } finally {
        await this.#queue.refresh(id)
      }
    })()
    this.#sending = sent.catch(() => undefined)
    return sent
  }

  async #verdict(asking: Asking): Promise<Verdict | undefined> {
    const { request } = asking
    if (request.mayDecide === false) {
      await asking.line('You may only read it. Enter goes back > ')
      return undefined
    }
    if (request.kind !== 'approve') return askAnswer(asking)
    const offered = request.allowedDecisions
    const labels = offered.map((type) => LABELS[type])
    for (;;) {
      const typed = (await asking.line(`${[...labels, '[b]ack'].join('  ')} > `)).toLowerCase()
      if (typed === 'b' || typed === 'back') return undefined
      const type = offered.find((each) => KEYS[each] === typed || each === typed)
      const verdict = type === undefined ? undefined : await askDecision(type, asking)
      if (verdict) return verdict
      if (type === undefined && typed !== '')
        asking.context.out(`Type ${[...offered.map((each) => KEYS[each]), 'b'].join(', ')} and press Enter.`)
    }
  }

  #say(request: SeatRequest): void {
    const { context } = this
    const { decision, answer } = request
    if (answer) context.out(...outcomeLines(context, { word: 'Answered', by: answer.by.id, request }))
    if (!decision) return
    context.out(...outcomeLines(context, { word: PAST[decision.type], by: decision.by.id, request }))
    context.out(consequence(decision.type, request))
    if (Date.parse(decision.effectiveAt) > context.now()) {
      this.#undoable = request
      context.out(`It takes effect ${whenDue(decision.effectiveAt, context.now())}; until then u takes it back.`)
    }
  }

  #undoLeft(): string | undefined {
    const at = this.#undoable?.decision?.effectiveAt
    const left = at === undefined ? 0 : Date.parse(at) - this.#context.now()
    return left > 0 ? `${Math.ceil(left / 1000)} s` : undefined
  }

  async #undo(): Promise<void> {
    const { context } = this
    if (!this.#undoable || this.#undoLeft() === undefined) return context.out('There is nothing to take back.')
    const { id } = this.#undoable
    try {
      const decided = this.#undoable
      const withdrawn = await this.#send(() => this.#seat.withdraw(decided), id)
      context.out(`Taken back. ${afterWithdrawal(withdrawn)}`)
    } catch (error) {
      context.out(context.style.bad(errorLine(error)))
    }
    this.#undoable = undefined
  }
}

const LABELS: Readonly<Record<Decision['type'], string>> = {
  approve: '[a]pprove',
  edit: '[e]dit',
  reject: '[r]eject',
  respond: 're[s]pond',
}
