import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { cutChunks, joinChunks, NO_CHUNKS } from '../../src/core/fold/chunks.ts'
import { apply } from '../../src/core/fold/fold.ts'
import { restoreSnapshot, takeSnapshot } from '../../src/core/fold/snapshot.ts'
import { next } from '../../src/core/next.ts'
import { emptyState, type ThreadState } from '../../src/core/state.ts'
import { soak } from '../support/soak.ts'
import { calling, Journal, key, make } from './journal.ts'
import { action, Story } from './story.ts'

/** Where a state is cut into chunks must not show. */
const stored = (state: ThreadState): unknown => JSON.parse(takeSnapshot(state, NO_CHUNKS))

const taken = (state: ThreadState): string => takeSnapshot(state, cutChunks(state.messages, NO_CHUNKS).mark)

function restored(state: ThreadState): ThreadState {
  const { tenant, threadId, version } = state
  return restoreSnapshot(taken(state), { tenant, threadId, version })!.state
}

/** A journal, folded by processes that each go on from the snapshot of the one before, with a chunk for what is new. Cut after these entries. */
function inTurns(journal: Story['world']['journal'], cuts: ReadonlySet<number>): ThreadState {
  let state = emptyState('default', 't')
  let mark = NO_CHUNKS
  const chunks: string[] = []
  for (const [index, { entry, at }] of journal.entries()) {
    apply(state, entry, at)
    if (!cuts.has(index)) continue
    const cut = cutChunks(state.messages, mark)
    chunks.push(...cut.bodies)
    const restored = restoreSnapshot(takeSnapshot(state, cut.mark), { ...state })!
    state = restored.state
    mark = restored.chunks
  }
  const messages = joinChunks(chunks, mark)
  if (!messages) throw new Error('the chunks are not those that the last snapshot names')
  state.messages.fill(messages)
  return state
}

test('fold(entries) is fold(snapshot), chunks and the rest, wherever and however often it was cut', () => {
  fc.assert(
    fc.property(
      fc.array(action, { minLength: 20, maxLength: 60 }),
      fc.array(fc.nat(100), { maxLength: 8 }),
      (actions, cuts) => {
        const story = new Story()
        story.openRun()
        for (const each of actions) story.act(each)
        const { journal, truth } = story.world
        const state = inTurns(journal, new Set(cuts.map((cut) => cut % journal.length)))
        expect(stored(state)).toEqual(stored(truth))
        expect(state.messages.all).toEqual(truth.messages.all)
      },
    ),
    { ...soak.runs(80, 2_000), unbiased: true },
  )
})

test('fold(entries) is fold(snapshot) and the rest, wherever the snapshot was taken', () => {
  fc.assert(
    fc.property(fc.array(action, { minLength: 20, maxLength: 60 }), fc.nat(1_000), (actions, seed) => {
      const story = new Story()
      story.openRun()
      for (const each of actions) story.act(each)
      const { journal, truth, now } = story.world
      const end = stored(truth)
      const at = { now, running: new Set<never>() }
      const step = truth.run?.status === 'open' ? next(truth, at).do : undefined
      const fold = emptyState('default', 't')
      for (const [index, { entry, at: time }] of journal.entries()) {
        apply(fold, entry, time)
        // Every cut of every story would take minutes.
        if ((index + seed) % 7 !== 0) continue
        const late = restored(fold)
        for (const { entry: more, at: then } of journal.slice(index + 1)) apply(late, more, then)
        if (!isDeepStrictEqual(stored(late), end))
          throw new Error(`a snapshot of version ${index + 1} folds to another state`)
        if (!isDeepStrictEqual(late.messages.loaded, truth.messages.slice(late.messages.absent)))
          throw new Error(`a snapshot of version ${index + 1} has other messages`)
        if (step && next(late, at).do !== step)
          throw new Error(`a snapshot of version ${index + 1} goes on differently`)
      }
    }),
    { ...soak.runs(80, 2_000), unbiased: true },
  )
})

describe('a snapshot', () => {
  it('has the same size after a thousand turns as after one', () => {
    const journal = new Journal().add(make.opened({ maxTurns: null }))
    const sizes: number[] = []
    for (let turn = 1; turn <= 1_000; turn++) {
      const call = key(0, turn)
      journal.add(make.said(['a'], { turn }), make.judged(call), make.asked(`q${turn}`, { call }))
      journal.add(
        make.decided(`q${turn}`, { type: 'approve' }, { call }),
        make.released(call),
        make.started(call),
        make.finished(call),
      )
      sizes.push(taken(journal.state).length)
    }
    expect(sizes.at(-1)! - sizes[0]!).toBeLessThan(50)
  })

  it('is refused for another version, and if it is something else', () => {
    const { state } = calling(['a'])
    const place = { tenant: 'default', threadId: 't', version: state.version }
    expect(restoreSnapshot(taken(state), place)?.state.run?.id).toBe(state.run?.id)
    expect(restoreSnapshot(taken(state), { ...place, version: place.version + 1 })).toBeUndefined()
    for (const other of ['', '{', 'null', '1', '"x"', '[]', '{}', JSON.stringify({ version: place.version })]) {
      expect(restoreSnapshot(other, place)).toBeUndefined()
    }
  })

  it('knows how long the conversation is and its last message, and says that the rest is not loaded', () => {
    const late = restored(calling(['a']).state)
    expect(late.messages.length).toBe(2)
    expect(late.messages.at(-1)).toMatchObject({ role: 'assistant' })
    expect(() => late.messages.all).toThrow('were not loaded')
    expect(() => late.messages.at(0)).toThrow('were not loaded')
    late.messages.fill([{ role: 'user', content: 'go' }])
    expect(late.messages.all.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(late.run?.frames.get(late.run.id)?.messages).toBe(late.messages)
  })
})
