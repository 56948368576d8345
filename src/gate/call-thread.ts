import { next } from '../core/next.ts'
import { callsOf } from '../core/queries.ts'
import type { RecordChange } from '../ports/records.ts'
import { NEVER } from '../ports/signals.ts'
import { warn } from '../ports/warnings.ts'
import { conversationPrefix } from '../protocol/conversation.ts'
import type { EntryOf } from '../protocol/entries/entry.ts'
import { messageOf, ThreadBusy } from '../protocol/errors/errors.ts'
import { DriveTrace } from '../runtime/events/drive-trace.ts'
import { RecordTaken } from '../runtime/journal/activation.ts'
import { Journal } from '../runtime/journal/journal.ts'
import { idleBehind } from '../runtime/loop/idle.ts'
import { Loop } from '../runtime/loop/loop.ts'
import type { LoopOptions } from '../runtime/loop/loop-parts.ts'
import { type Body, foreignAgent, knownOf } from './foreign-agent.ts'
import type { GateSettings } from './settings.ts'
import type { ForeignCall } from './types.ts'

/** What the host asks for, and the function that runs its tool. */
export type Asked = NonNullable<LoopOptions['host']> & { body?: Body }

/** Whether the call was moved as far as it can be, or another process has it. */
export type Moved = 'moved' | 'busy'

/**
 * One call from outside: a thread with one run, whose only call it is. The ordinary loop moves it; the host says how far.
 *
 * C1  The thread and its place in the index are created in one append. Of several processes that open the same call, one succeeds.
 * C2  Nothing starts unless the host asks for that (N6 in `core/next.ts`).
 */
export class CallThread {
  readonly journal: Journal
  readonly #settings: GateSettings
  readonly #call: ForeignCall

  private constructor(settings: GateSettings, call: ForeignCall, journal: Journal) {
    this.#settings = settings
    this.#call = call
    this.journal = journal
  }

  /** Reads the thread of a call that was opened before. */
  static async attach(settings: GateSettings, call: ForeignCall, threadId: string): Promise<CallThread> {
    return new CallThread(settings, call, await Journal.open(settings.store, threadId))
  }

  /** Reads the thread of a call that is under way, with what its journal says of the call. `undefined`: it is over. */
  static async find(settings: GateSettings, threadId: string): Promise<CallThread | undefined> {
    const journal = await Journal.open(settings.store, threadId)
    const { run } = journal.state
    const [call] = callsOf(journal.state)
    if (!run?.host || !call) return undefined
    const { conversation, call: callId, principal } = run.host
    const args = 'release' in call.phase ? call.phase.release.args : {}
    const named = { ...(callId === undefined ? {} : { callId }), ...(principal === undefined ? {} : { principal }) }
    return new CallThread(settings, { threadId: conversation, toolName: call.tool, args, ...named }, journal)
  }

  /** Opens the thread of a call and judges it. `undefined` if its place in the index is taken by now (C1). */
  static async open(
    settings: GateSettings,
    call: ForeignCall,
    { claim, earlier }: { claim(threadId: string): RecordChange; earlier: Earlier | undefined },
  ): Promise<CallThread | undefined> {
    const threadId = threadName(settings, call)
    const thread = new CallThread(settings, call, new Journal(settings.store, threadId))
    const trace = DriveTrace.begin(thread.journal)
    const loop = thread.#loop({ asks: 'look' }, trace)
    const place = claim(threadId)
    const opened = { ...openedRun(settings, call, place.id), ...(trace ? { trace: trace.link } : {}) }
    if (earlier)
      thread.journal.stampWith((entry) => (entry.type === 'request.opened' ? withEarlier(entry, earlier) : entry))
    try {
      await loop.parts.activation.write(() => ({ entries: [opened], records: [place] }))
    } catch (error) {
      if (error instanceof RecordTaken) return undefined
      throw error
    }
    if ((await moved(loop, trace)) === 'busy') await thread.look()
    return thread
  }

  /** The parts of a loop, for code that reads the call without moving it. */
  get parts(): Loop['parts'] {
    return this.#loop({ asks: 'look' }).parts
  }

  /** Moves the call as far as the host asks. */
  async move(asked: Asked): Promise<Moved> {
    return this.#move(asked, DriveTrace.begin(this.journal))
  }

  async #move(asked: Asked, trace: DriveTrace | undefined): Promise<Moved> {
    try {
      return await moved(this.#loop(asked, trace), trace)
    } catch (error) {
      if (error instanceof ThreadBusy) return 'busy'
      throw error
    }
  }

  /** Brings the call up to date, and starts nothing. `busy`: another process runs it. */
  async look(): Promise<Moved> {
    for (;;) {
      await this.journal.catchUp()
      const step = this.nextStep()
      if (step.do === 'await-host' || step.do === 'await-time' || step.do === 'nothing') return 'moved'
      // Whether somebody has given a grant meanwhile is asked often, and mostly for nothing: that has no span.
      const trace = step.do === 'await-people' ? undefined : DriveTrace.begin(this.journal)
      const outcome = await this.#move({ asks: 'look' }, trace)
      if (outcome === 'moved' || step.do === 'resolve-unknown') return outcome
      await idleBehind({ journal: this.journal, signal: NEVER })
    }
  }

  /** The next step of the call, if nothing is started. */
  nextStep(): ReturnType<typeof next> {
    const { handedOverMs } = this.#settings
    return next(this.journal.state, { now: this.journal.now(), running: new Set(), host: 'look', handedOverMs })
  }

  /** The same, for a host that gets its result in any case. If it fails, an equal call without an id may get this result once more. */
  async deliverOrWarn(): Promise<void> {
    await this.deliver().catch((error: unknown) => {
      const { threadId } = this.journal.state
      warn(
        'gate_undelivered',
        `That the result of ${threadId} was delivered could not be recorded: ${messageOf(error)}`,
      )
    })
  }

  /** Records that the host has received how the call ended. */
  async deliver(): Promise<void> {
    await this.journal.write(({ run }) => {
      const isOver =
        run?.status === 'open' && [...run.frames.values()].every((frame) => frame.answered && frame.calls.length === 0)
      return isOver ? { entries: [{ v: 1, type: 'run.settled', run: run.id, status: 'completed' }] } : undefined
    })
  }

  #loop({ body, ...host }: Asked, trace?: DriveTrace): Loop {
    const { policies, newId } = this.#settings
    const known = knownOf(this.journal.state, `call-${this.journal.state.threadId.slice(-12)}`)
    const agent = foreignAgent(this.#settings, this.#call, { ...known, body })
    return new Loop(agent, this.journal, {
      newId,
      policies,
      host,
      inCall: trace?.inCall,
      handedOverMs: this.#settings.handedOverMs,
      whenWaiting: host.asks === 'look' ? 'leave' : 'stay',
    })
  }
}

/** An equal call that was delivered before. */
export interface Earlier {
  threadId: string
  at: number
}

async function moved(loop: Loop, trace: DriveTrace | undefined): Promise<Moved> {
  const ending = await (trace ? trace.over(() => loop.drive()) : loop.drive())
  if (ending.kind === 'failed') throw ending.error
  return ending.kind === 'overtaken' ? 'busy' : 'moved'
}

/** A name that people recognise. Its last part is unique. */
function threadName({ source, newId }: GateSettings, { threadId }: ForeignCall): string {
  return `${conversationPrefix(source, threadId)}${newId()}`
}

function openedRun({ source, agent, newId }: GateSettings, call: ForeignCall, slot: string): EntryOf<'run.opened'> {
  const { threadId: conversation, callId, principal, context, messages } = call
  return {
    v: 1,
    type: 'run.opened',
    run: newId(),
    agent: { id: agent, name: agent },
    driver: 'external',
    host: {
      source,
      conversation,
      ...(callId === undefined ? {} : { call: callId }),
      ...(principal === undefined ? {} : { principal }),
      slot,
    },
    input: [],
    ...(context === undefined ? {} : { context }),
    ...(messages?.length ? { history: [...messages] } : {}),
    options: { maxTurns: null, start: 'cleared' },
  }
}

function withEarlier(entry: EntryOf<'request.opened'>, { threadId, at }: Earlier): EntryOf<'request.opened'> {
  return { ...entry, details: { ...entry.details, earlier: { threadId, at: new Date(at).toISOString() } } }
}
