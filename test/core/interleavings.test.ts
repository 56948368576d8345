import fc from 'fast-check'
import { expect, test } from 'vitest'
import { callsOf } from '../../src/core/queries.ts'
import { soak } from '../support/soak.ts'
import { action, Story } from './story.ts'

test(
  'G2 G3 G4 G6 G7, K1: no interleaving of drivers, people, crashes and late reports breaks a guarantee or hides work, and every run comes to its end',
  () => {
    const ends = new Map<string, number>()
    const frames = new Set<number>()
    fc.assert(
      fc.property(fc.array(action, { minLength: 20, maxLength: 80 }), fc.nat(100), (actions, seed) => {
        const story = new Story()
        story.openRun()
        for (const each of actions) story.act(each)
        const { truth, witness } = story.world
        witness.checkHistory(truth.messages.all, callsOf(truth).length > 0)
        story.end(seed)
        witness.checkHistory(truth.messages.all, false)
        story.checkFold()
        if (story.world.wake !== null) throw new Error('a finished thread has a wake mark')
        for (const ghost of story.ghosts) while (ghost.running.size > 0) ghost.finish(seed)
        witness.checkHistory(truth.messages.all, false)
        for (const { entry } of story.world.journal) {
          ends.set(entry.type, (ends.get(entry.type) ?? 0) + 1)
          if (entry.type === 'call.started' && entry.frame) frames.add(entry.call.split('/').length - 1)
        }
      }),
      { ...soak.runs(600, 10_000), unbiased: true },
    )
    // The stories are about something: every kind of entry occurs, and not just once.
    for (const type of [
      'run.opened',
      'input.added',
      'model.answered',
      'call.judged',
      'request.opened',
      'request.decided',
      'request.reopened',
      'request.closed',
      'grant.created',
      'call.released',
      'call.started',
      'call.finished',
      'call.refused',
      'agent.changed',
      'run.settled',
    ])
      expect([type, (ends.get(type) ?? 0) > soak.times(20, 300)]).toEqual([type, true])
    // Nested runs, and runs nested in those.
    expect(frames).toEqual(new Set([1, 2]))
  },
  soak.times(180_000, 600_000),
)
