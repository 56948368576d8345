import { hasAnswerToActOn, next, type Step } from '../../core/next.ts'
import { openRun } from '../../core/open-run.ts'
import { isRoot, openRequests } from '../../core/queries.ts'
import { pause } from '../../ports/clock.ts'
import {
  HitlAborted,
  HitlDetached,
  HoldpointError,
  MaxTurnsExceeded,
  StoreBehind,
  StoreFailed,
  ThreadBusy,
} from '../../protocol/errors/errors.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { LeaseLost } from '../journal/activation.ts'
import type { Journal } from '../journal/journal.ts'
import { markWake } from '../journal/mark-wake.ts'
import { settleEdit } from '../steps/check-edits.ts'
import { expireRequests } from '../steps/expire.ts'
import { answerWithTools } from '../steps/model/answer-with-tools.ts'
import { askModelTurn } from '../steps/model/ask-model.ts'
import { passGate } from '../steps/pass-gate.ts'
import { reenterBodies } from '../steps/re-enter.ts'
import { recordSettled, reportSettled } from '../steps/record-settled.ts'
import { refuseCalls } from '../steps/refuse.ts'
import { resolveUnknown } from '../steps/resolve-unknown.ts'
import { startCalls } from '../steps/start.ts'
import { stopFrame } from '../steps/stop-at-limit.ts'
import { useGrants } from '../steps/use-grants.ts'
import { idle, idleUntil } from './idle.ts'
import { type LoopOptions, type LoopParts, loopParts } from './loop-parts.ts'

/**
 * How a loop ended. `paused` waits for people, or with `whenWaiting: 'leave'` for a time; `stopped` means that this process no longer drives and resuming goes on; `overtaken`
 * that another process drives now.
 */
export type Ending =
  | { kind: 'settled' }
  | { kind: 'paused' }
  | { kind: 'stopped' }
  | { kind: 'overtaken' }
  | { kind: 'failed'; error: HoldpointError }

/** How long bodies may take to end after the run was stopped, before `drive` returns without them. */
const GRACE_MS = 1_000

/**
 * The one loop: ask core for the next step, perform it, append what happened, until there is nothing to do here.
 *
 * L1  A round depends only on the journal's state and on what runs in this process (bodies, turns of nested runs, known grants). So any
 *     process can go on after any round.
 * L2  Each step appends under the lease (see `Activation`), or writes only what needs none: ends of bodies and expired deadlines.
 * L3  The lease is not held while only people are waited for. `mayDropLease` drops it with the append before; the loop drops it otherwise.
 * L4  `drive` throws only `ThreadBusy`, before anything was stored. Every other failure is an `Ending`.
 * L5  Once `drive` is over, nothing here waits: questions are withdrawn, waiting bodies are rejected, and working bodies get `GRACE_MS`. A body
 *     that takes longer goes on under the lease and still reports its end.
 */
export class Loop {
  /** What the loop and its steps work with. */
  readonly parts: LoopParts
  /** Over when bodies that took longer than the grace have ended too. */
  over: Promise<void> = Promise.resolve()

  constructor(agent: AgentDefinition, journal: Journal, options: LoopOptions) {
    agent.complete()
    this.parts = loopParts(agent, journal, options)
  }

  /** Whether it leaves the rest to others. */
  get isDetached(): boolean {
    return this.parts.signals.detached
  }

  /** Leaves the rest to others: `drive` ends as `paused` or `stopped` once no body works any more. */
  detach(): void {
    this.parts.signals.detach()
  }

  /** Drives the thread until there is nothing to do here. */
  async drive(): Promise<Ending> {
    const { activation, journal, presenter } = this.parts
    try {
      const ending = await this.#loop()
      if (activation.holds) await activation.drop()
      else await markWake(journal)
      return ending
    } catch (error) {
      return await this.#fail(error)
    } finally {
      presenter?.close()
    }
  }

  async #loop(): Promise<Ending> {
    const { journal, waiting, presenter, signals, grants, signal } = this.parts
    for (;;) {
      signal.throwIfAborted()
      signals.look()
      waiting.settle(journal.state)
      if (signals.detached) return this.#leave()
      const reading = grants.forHeld(journal.state)
      if (reading !== undefined) await reading
      const { version: seen } = journal.state
      const step = this.#next()
      // Expired requests are closed before people are shown what is open.
      if (step.do !== 'expire') presenter?.sync(journal.state, journal.now())
      const ending = await this.#perform(step, seen)
      if (ending) return ending
    }
  }

  #next(): Step {
    const { journal, bodies, turns, grants, maxTurns, host, handedOverMs } = this.parts
    turns.check()
    return next(journal.state, {
      now: journal.now(),
      running: bodies.keys(),
      thinking: turns.keys(),
      grants: grants.known,
      host,
      handedOverMs,
      ...(maxTurns === undefined ? {} : { maxTurns }),
    })
  }

  /** Performs a step. `seen` is the version that it was decided on. Returns an ending if nothing is left to do here. */
  async #perform(step: Step, seen: number): Promise<Ending | undefined> {
    const { parts } = this
    const { journal, bodies, turns, activation, signals } = parts
    switch (step.do) {
      case 'ask-model':
        if (isRoot(openRun(journal.state), step.frame)) await askModelTurn(parts, step.frame)
        else turns.start(step.frame, (stopped) => askModelTurn(parts, step.frame, stopped))
        return undefined
      case 'start':
        return void (await startCalls(parts, step.calls))
      case 'await-bodies':
        await idle(parts, seen)
        return void (await recordSettled(parts, bodies.takeSettled()))
      case 'refuse':
        return void (await refuseCalls(parts, step.calls))
      case 'expire':
        return void (await expireRequests(parts, step.requests))
      case 'use-grants':
        return void (await useGrants(parts))
      case 'check-edits':
        for (const call of step.calls) await settleEdit(parts, call)
        return undefined
      case 'resolve-unknown':
        return void (await resolveUnknown(parts, step.calls))
      case 're-enter':
        return void (await reenterBodies(parts, step.calls))
      case 'pass-gate':
        return void (await passGate(parts, step.frame))
      case 'await-time':
        if (parts.whenWaiting === 'leave') return { kind: 'paused' }
        return void (await idleUntil(parts, step.until, seen))
      case 'await-people':
        if (!parts.presenter) return { kind: 'paused' }
        await activation.drop()
        signals.stayed = true
        return void (await idle(parts, seen))
      case 'stop-at-limit':
        if (await answerWithTools(parts, step.frame)) return undefined
        if (isRoot(openRun(journal.state), step.frame)) throw new MaxTurnsExceeded(step.maxTurns)
        return void (await stopFrame(parts, step.frame, step.maxTurns))
      case 'await-host':
        return { kind: 'paused' }
      case 'nothing':
        return { kind: 'settled' }
      default:
        return step satisfies never
    }
  }

  /**
   * Leaves the rest to others. Waiting bodies are rejected, working bodies end. An answer that was handed over before still counts: the body
   * that waits for it gets it.
   */
  async #leave(): Promise<Ending> {
    const { bodies, turns, waiting, journal, presenter } = this.parts
    await presenter?.drained()
    await journal.catchUp()
    waiting.settle(journal.state)
    waiting.rejectAll(new HitlDetached())
    while (bodies.busy || turns.busy) {
      await Promise.race([...(bodies.busy ? [bodies.settled()] : []), ...(turns.busy ? [turns.ended()] : [])])
      await recordSettled(this.parts, bodies.takeSettled())
      turns.check()
    }
    presenter?.close()
    await presenter?.drained()
    await journal.catchUp()
    return leftAs(journal)
  }

  /** Ends what runs here and turns a failure into an ending (L4, L5). */
  async #fail(error: unknown): Promise<Ending> {
    const { activation, signals, waiting, turns, signal } = this.parts
    if (error instanceof StoreBehind) activation.abandon()
    waiting.rejectAll(new HitlAborted('the run stopped'))
    // Otherwise a body that asks from here on would wait for ever and keep the lease.
    signals.detach()
    await turns.stop(error)
    await this.#endBodies()
    if (error instanceof ThreadBusy) {
      if (activation.began || signals.stayed) return { kind: 'overtaken' }
      throw error
    }
    if (error instanceof LeaseLost) return { kind: 'overtaken' }
    if (signal.aborted) return { kind: 'stopped' }
    return {
      kind: 'failed',
      error: HoldpointError.isInstance(error) ? error : new StoreFailed('The run could not go on', error),
    }
  }

  /** Lets bodies end within the grace. If a later end cannot be recorded, its outcome is unknown, which is what the journal says. */
  async #endBodies(): Promise<void> {
    const { bodies, activation } = this.parts
    const ended = (async () => {
      try {
        while (bodies.busy) {
          await bodies.settled()
          await reportSettled(this.parts, bodies.takeSettled())
        }
      } finally {
        // Also if the store fails: a process that no longer drives must not renew the lease and lock others out.
        await activation.giveUp()
      }
    })().catch(() => undefined)
    this.over = ended
    const over = new AbortController()
    await Promise.race([ended, pause(GRACE_MS, { signal: over.signal })])
    over.abort()
  }
}

/** The state of a run that this process has left: `paused` if it waits for people and no answer is left to act on. */
export function leftAs(journal: Journal): Ending {
  const { state } = journal
  // An abort wakes the loop too.
  if (state.run?.status !== 'open') return { kind: 'settled' }
  const waits = openRequests(state).some(({ opened }) => opened.run !== undefined)
  return { kind: waits && !hasAnswerToActOn(state, journal.now()) ? 'paused' : 'stopped' }
}
