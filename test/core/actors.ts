import { callDigest } from '../../src/core/digest.ts'
import { ownGrants, type ProjectedGrant, spending } from '../../src/core/grants.ts'
import { grantedCalls, next, type Step } from '../../src/core/next.ts'
import { type JudgedAnswer, type JudgedCall, planAnswer } from '../../src/core/plan/answer.ts'
import { planAskAgain } from '../../src/core/plan/ask-again.ts'
import {
  planEditRelease,
  planFinish,
  planRefusals,
  planReopen,
  planRetry,
  planStart,
  type Start,
} from '../../src/core/plan/calls.ts'
import { planDeadline } from '../../src/core/plan/deadline.ts'
import { planDecision } from '../../src/core/plan/decide.ts'
import { planAgentChange, planFrameEnd } from '../../src/core/plan/frames.ts'
import { errorResult, textResult } from '../../src/core/plan/results.ts'
import { findCall, openRequests, spendsGrant } from '../../src/core/queries.ts'
import { type Call, emptyState, type Release, type ThreadState } from '../../src/core/state.ts'
import { wakeAt } from '../../src/core/wake.ts'
import { type Actor, type Decision, decisionTypes } from '../../src/protocol/decision.ts'
import type { Entry } from '../../src/protocol/entries/entry.ts'
import { type CallKey, frameOf } from '../../src/protocol/ids.ts'
import type { World } from './world.ts'

/** The tools of the story: what their rule says, and what to do when an outcome is unknown. */
const TOOLS = {
  look: { rule: 'allow', unknown: 'ask' },
  pay: { rule: 'review', unknown: 'ask' },
  mail: { rule: 'review', unknown: 'retry' },
  wire: { rule: 'review', unknown: 'fail' },
  list: { rule: 'allow', unknown: 'retry' },
  junk: { rule: 'invalid', unknown: 'ask' },
  /** Another agent, called as a tool: its run is a frame. */
  team: { rule: 'review', unknown: 'ask' },
  crew: { rule: 'allow', unknown: 'ask' },
  /** Another agent, who goes on. */
  over: { rule: 'review', unknown: 'retry' },
} as const
type ToolName = keyof typeof TOOLS
const NAMES = Object.keys(TOOLS) as ToolName[]

const isAgent = (tool: string): boolean => tool === 'team' || tool === 'crew'

/** How a call starts: agents with a frame, the others with a body. */
function startOf(tool: string, key: string): Start {
  if (!isAgent(tool)) return { resumable: false }
  const input = [{ role: 'user', content: key } as const]
  return { resumable: false, frame: { agent: { id: tool }, input, maxTurns: key.length % 2 === 0 ? 2 : null } }
}

/** What is deployed: a driver whose release changed sees other definitions. */
const definitionOf = (tool: string, release: number): string => `${tool}@${tool === 'pay' ? release : 0}`

/** A process that drives the thread: it may know less than the store, think for long, crash, or lose its lease without noticing. */
export class Driver {
  state: ThreadState = emptyState('default', 't')
  running = new Map<CallKey, number>()
  /** The version of the code that it runs. */
  release = 0
  token: number | undefined
  readonly #thinking = new Map<string, { turn: number; read: number }>()
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  catchUp(): void {
    this.#world.read(this.state)
  }

  /** What it would do now, as far as it knows. */
  next(): Step {
    return next(this.state, {
      now: this.#world.now,
      running: new Set(this.running.keys()),
      maxTurns: null,
      grants: ownGrants(this.state),
    })
  }

  /** One step. `seed` decides what the model says and whether an edit fits. Whether the journal grew. */
  step(seed: number): boolean {
    if (this.state.version === 0) this.catchUp()
    const step = this.next()
    switch (step.do) {
      case 'ask-model':
        return this.#think(step.frame.key, seed)
      case 'stop-at-limit':
        return this.#write((state) => {
          const frame = state.run?.frames.get(step.frame.key)
          if (!state.run || !frame || frame.calls.length > 0) return []
          return planFrameEnd(state, { run: state.run, frame }, errorResult('no end'))
        })
      case 'start':
        return this.#start(step.calls)
      case 'refuse':
        return this.#write((state) => this.#each(state, step.calls, (call) => refusal(call)))
      case 'check-edits':
        return this.#write((state) => this.#each(state, step.calls, (call) => this.#edit(call, seed)))
      case 'use-grants':
        return this.#write((state) => useGrants(state, this.#world.now))
      case 'resolve-unknown':
        return this.#resolve(step.calls)
      case 'expire':
        return this.#report((state) => {
          const ids = new Set(step.requests.map(({ opened }) => opened.id))
          return openRequests(state)
            .filter(({ opened }) => ids.has(opened.id))
            .flatMap(planDeadline)
        })
      case 'await-bodies':
        return this.finish(seed)
      case 'await-people':
        this.#drop()
        return false
      default:
        return false
    }
  }

  /** One of its bodies ends and is reported, with or without the lease. */
  finish(seed: number): boolean {
    const [key, attempt] = [...this.running][seed % Math.max(1, this.running.size)] ?? []
    if (key === undefined || attempt === undefined) return false
    const result = seed % 3 === 0 ? errorResult('failed') : textResult(`done ${attempt}`)
    const grew = this.#report((state) => {
      const finished = planFinish(state, key, { attempt, result })
      const goesOn = findCall(state, key)?.handoff && finished.length > 0 && !result.isError
      return goesOn ? [...finished, planAgentChange(frameOf(key), { agent: { id: `agent${seed % 3}` } })] : finished
    })
    this.running.delete(key)
    return grew
  }

  /** It is gone; what it ran may still be heard of. */
  crash(): Driver {
    const ghost = new Driver(this.#world)
    ghost.state = this.state
    ghost.running = this.running
    if (this.token !== undefined && this.#world.lease?.token === this.token) this.#world.lease = null
    this.state = emptyState('default', 't')
    this.running = new Map()
    this.token = undefined
    this.#thinking.clear()
    return ghost
  }

  /** Asking takes two steps: others may do anything while the model thinks. */
  #think(key: string, seed: number): boolean {
    const frame = this.state.run?.frames.get(key)
    if (!frame) return false
    let thought = this.#thinking.get(key)
    if (!thought) {
      if (!this.#acquire()) return false
      thought = { turn: frame.turn, read: frame.queued.length }
      this.#thinking.set(key, thought)
      if (seed % 2 === 0) return false
    }
    const { turn, read } = thought
    this.#thinking.delete(key)
    return this.#write((state) => {
      const run = state.run
      const now = run?.frames.get(key)
      if (run?.status !== 'open' || !now || now.turn !== turn || now.calls.length > 0) return []
      return planAnswer(state, run, {
        frame: now,
        read,
        newId: this.#world.newId,
        grants: ownGrants(state),
        now: this.#world.now,
        result: textResult(`done by ${now.agent.id}`),
        ...this.#answer(seed, now.turn, key.split('/').length),
      })
    })
  }

  #answer(
    seed: number,
    turn: number,
    depth: number,
  ): Pick<JudgedAnswer, 'message' | 'calls' | 'definitions' | 'refusals'> {
    // Later turns tend to end the run, so that stories have ends.
    const wanted = turn * depth > 4 ? 0 : [2, 3, 1, 2, 0, 4][seed % 6]!
    const chosen = Array.from({ length: wanted }, (_, i) => NAMES[(seed >> (i + 2)) % NAMES.length]!)
    const tools = chosen.filter(
      (name, i) => (name !== 'over' || chosen.indexOf('over') === i) && (depth < 3 || !isAgent(name)),
    )
    const count = tools.length
    const toolCalls = tools.map((name, i) => ({ id: `c${i}`, name, args: { n: seed % 5 } }))
    const definitions = new Map(
      tools.map((name) => [definitionOf(name, this.release), { name, description: '', parameters: {} }]),
    )
    return {
      message: { role: 'assistant', content: `${seed}`, ...(count > 0 ? { toolCalls } : {}) },
      calls: toolCalls.map(({ name, args }) => this.#judge(name, args, seed)),
      definitions,
      refusals: tools.map(() => ({ content: 'refused for good', isError: true })),
    }
  }

  #judge(tool: ToolName, args: { n: number }, seed: number): JudgedCall {
    const { rule } = TOOLS[tool]
    if (rule === 'invalid') return { verdict: { kind: 'invalid', problem: 'junk' }, refusal: errorResult('junk') }
    const definition = definitionOf(tool, this.release)
    return {
      verdict: { kind: rule },
      args,
      asSent: true,
      definition,
      digest: callDigest({ tool, definition, args }),
      allowedDecisions: [...decisionTypes],
      resumable: false,
      ...(tool === 'over' ? { handoff: true } : {}),
      ...(tool === 'over' || isAgent(tool) ? { deferred: true } : {}),
      ...(seed % 7 === 0 ? { expiresAt: this.#world.now + 50 } : {}),
    }
  }

  #start(calls: readonly Call[]): boolean {
    return this.#write((state) => {
      const grants: ProjectedGrant[] = []
      const entries = this.#each(state, calls, (call) => {
        if (call.phase.at !== 'released') return []
        const { release } = call.phase
        const changed = this.#changed(release)
        if (changed) return [this.#ask(state, call, { release, ...changed, reason: 'changed' })]
        if (spendsGrant(release)) {
          const { digest, definition } = release
          const left = ownGrants(state).some(({ grant: { id }, uses, used }) => {
            const here = grants.filter((spent) => spent.op === 'spend' && spent.id === id).length
            return id === release.by.id && (uses === null || used + here < uses)
          })
          if (!left) return [this.#ask(state, call, { release, digest, definition, reason: 'grant_gone' })]
          grants.push({ op: 'spend', id: release.by.id })
        }
        return planStart(call, startOf(release.tool, call.key))
      })
      return { entries, grants }
    })
  }

  #resolve(calls: readonly Call[]): boolean {
    if (!this.#acquire()) return false
    return this.#write((state) =>
      this.#each(state, calls, (call) => {
        if (call.phase.at !== 'started') return []
        const { release } = call.phase
        const policy = TOOLS[release.tool as ToolName].unknown
        const changed = this.#changed(release)
        if (policy === 'fail') return planRefusals([{ call, cause: 'unknown', result: errorResult('not known') }])
        if (policy === 'retry' && !changed) return planRetry(call, release, startOf(release.tool, call.key))
        const exact = changed ?? { digest: release.digest, definition: release.definition }
        return [this.#ask(state, call, { release, ...exact, reason: 'unknown_outcome' })]
      }),
    )
  }

  #edit(call: Call, seed: number): Entry[] {
    if (call.phase.at !== 'answered' || call.phase.answer.kind !== 'decision') return []
    const { answer, request } = call.phase
    if (answer.decision.type !== 'edit') return []
    if (seed % 3 === 0) return planReopen(call, { cause: 'edit_refused', by: SYSTEM, problems: ['does not fit'] })
    const exact = { tool: call.tool, definition: definitionOf(call.tool, this.release), args: answer.decision.args }
    return [planEditRelease(call, { ...exact, digest: callDigest(exact), by: answer.by, request: request.opened.id })]
  }

  #changed({ tool, args, digest }: Release): { digest: string; definition: string } | undefined {
    const definition = definitionOf(tool, this.release)
    const now = callDigest({ tool, definition, args })
    return now === digest ? undefined : { digest: now, definition }
  }

  #ask(
    state: ThreadState,
    call: Call,
    ask: { release: Release; digest: string; definition: string; reason: 'changed' | 'unknown_outcome' | 'grant_gone' },
  ): Entry {
    return planAskAgain(state.run!, call, { id: this.#world.newId(), facts: {}, now: 0, ...ask })
  }

  #each(state: ThreadState, calls: readonly Call[], plan: (call: Call) => Entry[]): Entry[] {
    return calls.flatMap(({ key }) => {
      const call = findCall(state, key)
      return call ? plan(call) : []
    })
  }

  /** A driver append: lease and version. On conflict it reads and will decide again. */
  #write(plan: (state: ThreadState) => Entry[] | { entries: Entry[]; grants: ProjectedGrant[] }): boolean {
    const planned = plan(this.state)
    const { entries, grants } = Array.isArray(planned) ? { entries: planned, grants: [] } : planned
    if (entries.length === 0) return false
    const lease = this.token === undefined ? ({ take: true } as const) : { hold: this.token }
    const outcome = this.#world.append(entries, { version: this.state.version, lease, grants })
    if (outcome.ok) {
      this.token = outcome.token ?? this.token
      this.catchUp()
      for (const entry of entries)
        if (entry.type === 'call.started' && !entry.frame) this.#run(entry.call, entry.attempt)
      return true
    }
    if (this.token !== undefined && this.#world.lease?.token !== this.token) this.token = undefined
    this.catchUp()
    return false
  }

  #run(key: CallKey, attempt: number): void {
    this.#world.witness.body(key, attempt)
    this.running.set(key, attempt)
  }

  /** What needs no lease: only that the plan still holds on the newest state. */
  #report(plan: (state: ThreadState) => Entry[]): boolean {
    for (;;) {
      const entries = plan(this.state)
      if (entries.length === 0) return false
      const { ok } = this.#world.append(entries, { version: this.state.version })
      this.catchUp()
      if (ok) return true
    }
  }

  #acquire(): boolean {
    if (this.token !== undefined && this.#world.lease?.token === this.token) return true
    const { ok, token } = this.#world.append([], { lease: { take: true } })
    if (ok) this.token = token
    this.catchUp()
    return ok
  }

  /** It leaves the thread as it knows it, unless somebody has written since. */
  #drop(): void {
    if (this.token !== undefined && this.#world.lease?.token === this.token) this.#world.lease = null
    const wake = { op: 'set', at: wakeAt(this.state, this.#world.now) } as const
    this.#world.append([], { version: this.state.version, wake })
    this.token = undefined
  }
}

const SYSTEM: Actor = { kind: 'system', id: 'holdpoint' }

function refusal(call: Call): Entry[] {
  if (call.phase.at !== 'answered') return []
  const { answer, unknown } = call.phase
  const cause =
    answer.kind === 'closed'
      ? answer.status
      : answer.decision.type === 'respond'
        ? 'responded'
        : unknown
          ? 'unknown'
          : 'rejected'
  return planRefusals([{ call, cause, result: errorResult(cause) }])
}

function useGrants(state: ThreadState, now: number): { entries: Entry[]; grants: ProjectedGrant[] } {
  const granted = grantedCalls(state, ownGrants(state), now)
  const entries = granted.flatMap(({ asked: { opened, version }, use }) => {
    const decision: Decision = use.grant.effect === 'allow' ? { type: 'approve' } : { type: 'reject' }
    return planDecision({ opened, version, decision, by: { kind: 'grant', id: use.grant.id } })
  })
  return { entries, grants: granted.flatMap(({ use }) => (use.grant.effect === 'deny' ? [spending(use)] : [])) }
}
