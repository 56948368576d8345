import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { callDigest } from '../../src/core/digest.ts'
import { planAbort, planRefuseAll, planReopen } from '../../src/core/plan/calls.ts'
import { type CheckedDecision, planDecision } from '../../src/core/plan/decide.ts'
import { callsOf, findCall, openRequests } from '../../src/core/queries.ts'
import type { ThreadState } from '../../src/core/state.ts'
import { wakeAfter } from '../../src/core/wake.ts'
import type { Actor, Decision } from '../../src/protocol/decision.ts'
import { Driver } from './actors.ts'
import { World } from './world.ts'

const PEOPLE: Actor[] = ['ann', 'bob', 'eve'].map((id) => ({ kind: 'person', id }))

/** One thread, two drivers, three people with views that may be old, and workers that were given up. */
export class Story {
  readonly world = new World()
  readonly drivers = [new Driver(this.world), new Driver(this.world)]
  readonly ghosts: Driver[] = []
  /** What each person saw last. */
  readonly views: ThreadState[] = PEOPLE.map(() => this.world.read())
  runs = 0

  openRun(): void {
    if (this.world.truth.run?.status === 'open') return
    this.world.append([
      {
        v: 1,
        type: 'run.opened',
        run: `r${++this.runs}`,
        agent: { id: 'clerk', name: 'clerk' },
        input: [{ role: 'user', content: `input ${this.runs}` }],
        options: { maxTurns: null, start: this.runs % 2 === 0 ? 'settled' : 'cleared' },
      },
    ])
  }

  act([kind, who, seed]: readonly [number, number, number]): void {
    const driver = this.drivers[who % 2]!
    const actions: (() => void)[] = [
      ...Array.from({ length: 9 }, () => () => void driver.step(seed)),
      () => driver.finish(seed),
      () => driver.catchUp(),
      () => this.look(who),
      () => this.decide(who, seed),
      () => this.decide(who, seed),
      () => {
        this.look(who)
        this.decide(who, seed)
      },
      () => void this.ghosts.push(driver.crash()),
      () => this.ghosts[seed % Math.max(1, this.ghosts.length)]?.finish(seed),
      // The lease runs out while its holder only was slow: it does not know yet.
      () => {
        if (seed % 2 === 0) this.world.lease = null
      },
      () => {
        this.world.now += seed % 120
      },
      () => this.withdraw(who, seed),
      () => this.addInput(seed),
      () => this.supersede(seed),
      () => this.abort(seed),
      () => {
        driver.release = seed % 2
      },
      () => this.openRun(),
    ]
    actions[kind % actions.length]!()
  }

  look(who: number): void {
    this.world.read(this.views[who % PEOPLE.length])
  }

  /** A decision on what a person saw, which may be long ago. Guarded by the request's version alone. */
  decide(who: number, seed: number): void {
    const open = openRequests(this.views[who % PEOPLE.length]!)
    const request = open[seed % Math.max(1, open.length)]
    if (!request) return
    const types = request.opened.allowedDecisions
    const type = types[(seed >> 3) % types.length]!
    const decision: Decision =
      type === 'edit' ? { type, args: { n: 9 } } : type === 'respond' ? { type, message: 'words' } : { type }
    const checked: CheckedDecision = {
      opened: request.opened,
      version: request.version,
      decision,
      by: PEOPLE[who % PEOPLE.length]!,
    }
    if (seed % 3 === 1 && (type === 'approve' || type === 'reject'))
      checked.grant = { id: this.world.newId(), ...(seed % 2 === 0 ? { uses: 1 } : {}) }
    if (seed % 4 === 0) checked.undoMs = 20
    if (type === 'edit' && seed % 2 === 0) {
      const exact = { tool: request.opened.toolName!, definition: request.opened.definition!, args: { n: 9 } }
      checked.edited = { ...exact, digest: callDigest(exact) }
    }
    const before = this.world.journal.length
    const stale = this.#isStale(request.opened.id, request.version)
    const { ok } = this.world.append(planDecision(checked))
    // G4: the first one wins; the loser changes nothing.
    if (ok === stale) throw new Error(`G4: a ${stale ? 'stale' : 'fresh'} answer was ${ok ? 'accepted' : 'refused'}`)
    if (!ok && this.world.journal.length !== before) throw new Error('G4: a refused answer left something behind')
  }

  #isStale(id: string, version: number): boolean {
    return !openRequests(this.world.truth).some((now) => now.opened.id === id && now.version === version)
  }

  withdraw(who: number, seed: number): void {
    const state = this.views[who % PEOPLE.length]!
    const decided = callsOf(state).filter(({ phase }) => phase.at === 'answered' || phase.at === 'released')
    const call = findCall(state, decided[seed % Math.max(1, decided.length)]?.key ?? ('' as never))
    if (!call) return
    const entries = planReopen(call, { cause: 'withdrawn', by: PEOPLE[who % PEOPLE.length]! })
    const wake = { op: 'set', at: wakeAfter(state, entries, this.world.now) } as const
    this.world.append(entries, { version: state.version, wake })
  }

  addInput(seed: number): void {
    const { run, version } = this.world.truth
    if (run?.status !== 'open') return
    const input = [{ role: 'user', content: `more ${seed}` } as const]
    this.world.append([{ v: 1, type: 'input.added', run: run.id, input }], { version })
  }

  /** New input that supersedes what is pending. */
  supersede(seed: number): void {
    const { truth } = this.world
    if (truth.run?.status !== 'open') return
    const why = { status: 'superseded', by: PEOPLE[0]!, text: 'not run', unknownText: () => 'not known' } as const
    this.world.append(planRefuseAll(truth, why), { version: truth.version })
    this.addInput(seed)
  }

  abort(seed: number): void {
    const { truth } = this.world
    if (truth.run?.status !== 'open' || seed % 3 > 0) return
    const why = { by: PEOPLE[0]!, reason: 'enough' }
    this.world.append(planAbort(truth, truth.run, why), { version: truth.version })
  }

  /** From here on nothing more goes wrong: one driver, and people who answer. Every step must move the story. */
  end(seed: number): void {
    const [driver] = this.drivers
    this.ghosts.push(...this.drivers.map((one) => one.crash()))
    this.world.lease = null
    for (let i = 0; this.world.truth.run?.status === 'open'; i++) {
      if (i > 300) throw new Error(`no end in sight: ${JSON.stringify(driver!.next())}`)
      driver!.catchUp()
      const step = driver!.next()
      const before = this.world.journal.length
      switch (step.do) {
        case 'await-people':
          if (step.requests.length === 0) throw new Error('waits for people, and nobody is asked')
          driver!.step(0)
          for (let who = 0; who < step.requests.length; who++) {
            this.look(0)
            this.decide(0, 1 + 8 * ((seed + i) % 4))
          }
          break
        case 'await-time':
          if (step.until <= this.world.now) throw new Error(`waits for the past: ${step.until}`)
          this.world.now = step.until
          continue
        case 'await-bodies':
          if (driver!.running.size === 0) throw new Error('waits for bodies that do not run')
          driver!.finish(seed)
          break
        default:
          driver!.step((seed + i) * 2 + 1)
      }
      if (this.world.journal.length === before) throw new Error(`${step.do} did not move anything`)
    }
  }

  /** What was folded step by step is what folding everything gives. */
  checkFold(): void {
    if (!isDeepStrictEqual(this.world.read(), this.world.truth))
      throw new Error('the fold is not a function of the journal')
    for (const driver of this.drivers) {
      driver.catchUp()
      if (!isDeepStrictEqual(driver.state, this.world.truth)) throw new Error('a driver folded something else')
    }
  }
}

/** One action of a story: what, by whom, and a seed for the rest. */
export const action = fc.tuple(fc.nat(24), fc.nat(2), fc.nat(1 << 16))
