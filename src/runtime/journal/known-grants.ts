import { type KnownGrant, ownGrants, type ProjectedGrant, type ToolName } from '../../core/grants.ts'
import { callsOf, conversationOf, needsPerson } from '../../core/queries.ts'
import type { Run, ThreadState } from '../../core/state.ts'
import type { Store } from '../../ports/store.ts'
import type { GrantReach, StoredGrant } from '../../ports/store-lists.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import { JournalInvalid } from '../../protocol/errors/errors.ts'
import type { GrantLedger } from './activation.ts'

/**
 * The standing decisions that one activation knows.
 *
 * They are read from the store when a call is under review: once per turn, and again when one is created or revoked in this thread. This
 * knowledge may be stale. Only the append that spends a grant proves it valid; a refused grant is not tried again in this turn.
 */
export class KnownGrants implements GrantLedger {
  readonly #store: Store
  readonly #namesOf: (tool: string) => readonly ToolName[]
  #known: readonly KnownGrant[] = []
  #readFor: string | undefined
  readonly #gone = new Set<string>()

  /** `namesOf` returns all names of the tool that has this name or alias; an empty array if it has only one. */
  constructor(store: Store, namesOf: (tool: string) => readonly ToolName[] = () => []) {
    this.#store = store
    this.#namesOf = namesOf
  }

  /** The grants that may still be spent. */
  get known(): readonly KnownGrant[] {
    return this.#gone.size === 0 ? this.#known : this.#known.filter(({ grant }) => !this.isGone(grant.id))
  }

  /** Whether an append was refused because this grant can no longer be spent. */
  isGone(id: string): boolean {
    return this.#gone.has(id)
  }

  /** Called when an append was refused because of this grant. */
  lose(id: string): void {
    this.#gone.add(id)
  }

  /** Called when an append of this activation spent grants. */
  took(spent: readonly ProjectedGrant[]): void {
    for (const change of spent) {
      if (change.op !== 'spend') continue
      const { id, amount = 0 } = change
      this.#known = this.#known.map((known) =>
        known.grant.id === id ? { ...known, used: known.used + 1, spent: known.spent + amount } : known,
      )
    }
  }

  /**
   * Loads the grants for an answer that is being judged. `tools` are the tools that it calls; empty if no call is under review, since the journal's
   * own grants suffice then. A turn that is not `alone` keeps what other turns have loaded.
   */
  forTurn(
    state: ThreadState,
    run: Run,
    turn: { number: number; agent: string; tools: readonly string[]; alone: boolean },
  ): Promise<void> | undefined {
    if (turn.alone) {
      this.#gone.clear()
      this.#known = []
    }
    if (turn.tools.length === 0) {
      if (state.grants.size > 0)
        this.#learn(
          state,
          ownGrants(state).map((known) => this.#withNames(known)),
        )
      return undefined
    }
    return this.#read(
      { state, run },
      { agents: [turn.agent], tools: [...new Set(turn.tools)] },
      turn.alone ? keyOf(state, run, turn.number) : undefined,
    )
  }

  /** Loads the grants for calls that people are asked about, since one may have been given meanwhile. `undefined`: there is nothing to read. */
  forHeld(state: ThreadState): Promise<void> | undefined {
    const { run } = state
    if (run?.status !== 'open' || !hasHeld(run)) return undefined
    const key = keyOf(state, run)
    if (key === this.#readFor) return undefined
    const held = callsOf(state).flatMap(({ phase }) => (phase.at === 'held' ? [phase.request.opened] : []))
    const agents = new Set(held.map(({ agent }) => agent))
    const tools = new Set(held.flatMap(({ toolName }) => toolName ?? []))
    return this.#read({ state, run }, { agents: [...agents], tools: [...tools] }, key)
  }

  async #read(
    { state, run }: { state: ThreadState; run: Run },
    { agents, tools }: { agents: string[]; tools: string[] },
    key: string | undefined,
  ): Promise<void> {
    const known: KnownGrant[] = []
    let cursor: string | undefined
    do {
      const reach = { ...placeOf(state, run), agents, tools: this.#allNames(tools) }
      const page = await this.#store.findGrants({ reach, limit: 500, ...(cursor === undefined ? {} : { cursor }) })
      known.push(...page.grants.map((stored) => this.#withNames(toKnown(stored))))
      cursor = page.next
    } while (cursor !== undefined)
    // The oldest is used first.
    this.#learn(state, known.reverse(), { agents, tools })
    // A turn beside others reads only its own tools, not those of every held call.
    if (key !== undefined) this.#readFor = key
  }

  /** Merges fresh grants into the known ones. Nested turns run concurrently, so one must not remove what another is about to use. */
  #learn({ grants }: ThreadState, fresh: readonly KnownGrant[], asked?: { agents: string[]; tools: string[] }): void {
    const ids = new Set(fresh.map(({ grant }) => grant.id))
    const others = this.#known.filter(({ grant: { id, agent, tool } }) => {
      const wouldBeThere = asked?.agents.includes(agent) && asked.tools.includes(tool)
      return !ids.has(id) && !wouldBeThere && (grants.get(id)?.revoked ?? null) === null
    })
    this.#known = others.length === 0 ? fresh : [...others, ...fresh].sort((a, b) => a.from - b.from)
  }

  #allNames(tools: readonly string[]): string[] {
    return [...new Set(tools.flatMap((tool) => [tool, ...this.#namesOf(tool).map((name) => name.tool)]))]
  }

  /** Extends a grant to all names of its tool, if it was given for the tool's current definition. */
  #withNames(known: KnownGrant): KnownGrant {
    const { tool, definition } = known.grant
    const names = this.#namesOf(tool)
    const given = names.some((name) => name.tool === tool && name.definition === definition)
    return given ? { ...known, alsoAs: names } : known
  }
}

/** Whether people are asked about a call that a grant could decide. Called in every round of the loop, so it must be cheap. */
function hasHeld({ frames }: Run): boolean {
  for (const { calls } of frames.values())
    for (const { phase } of calls) if (phase.at === 'held' && !phase.unknown && !needsPerson(phase.request)) return true
  return false
}

function keyOf(state: ThreadState, run: Run, turn = run.frames.get(run.id)?.turn): string {
  return `${run.id} ${turn} ${state.grantChanges}`
}

/** Where a run's calls are made. */
function placeOf({ threadId }: ThreadState, run: Run): Pick<GrantReach, 'threadId' | 'run' | 'conversation'> {
  const conversation = conversationOf(run)
  return { threadId, run: run.id, ...(conversation === undefined ? {} : { conversation }) }
}

function toKnown({ threadId, created, expiresAt, uses, used, cap, spent }: StoredGrant): KnownGrant {
  const entry = parseBody(created.body, { threadId, seq: created.seq })
  if (entry.type !== 'grant.created') {
    throw new JournalInvalid({ threadId, seq: created.seq, problem: 'the grant index points at another entry' })
  }
  const { grant } = entry
  return { grant, threadId, from: created.at + (grant.delayMs ?? 0), until: expiresAt, uses, used, cap, spent }
}
