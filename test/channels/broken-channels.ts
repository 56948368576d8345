import { InMemoryChannel } from '../../src/channel/in-memory.ts'
import type { Asked, Channel, ConfirmOptions } from '../../src/ports/channel.ts'
import { tellListener } from '../../src/ports/listeners.ts'
import type { HitlRequest } from '../../src/protocol/request.ts'
import type { ChannelHarness } from '../../src/testing/channel-suite/channel-case.ts'
import { onListenerError } from './harnesses.ts'

/** A channel with one fault. A suite that accepts it proves nothing about the guarantee. */
interface BrokenChannel {
  readonly name: string
  readonly rejectedBy: readonly string[]
  harness(): ChannelHarness
}

/** The in-memory channel with some members replaced. */
function broken(fault: (sound: InMemoryChannel) => Partial<Channel>): () => ChannelHarness {
  return () => ({
    async create(options) {
      const sound = new InMemoryChannel({ ...options, onListenerError })
      const faults = fault(sound)
      const channel = new Proxy(sound, {
        get(target, key) {
          if (Object.hasOwn(faults, key)) return Reflect.get(faults, key)
          const value = Reflect.get(target, key, target)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
      return { channel }
    },
  })
}

export const brokenChannels: readonly BrokenChannel[] = [
  {
    name: 'hands out what is pending itself',
    rejectedBy: ['pending is a copy'],
    harness: broken((sound) => {
      let current: Channel['pending']
      return {
        get pending() {
          if (sound.pending?.id !== current?.id) current = sound.pending
          return current
        },
      }
    }),
  },
  {
    name: 'lets a second verb replace the first',
    rejectedBy: ['a second verb is refused with the id of the first, which is not disturbed'],
    harness: broken((sound) => ({
      async confirm(prompt, options) {
        const { pending } = sound
        if (pending) await sound.cancel(pending.questionId)
        return sound.confirm(prompt, options)
      },
    })),
  },
  {
    name: 'shows what was presented last first',
    rejectedBy: ['presented questions are shown one at a time, in order'],
    harness: broken((sound) => {
      const items: { asked: Asked; place: { withdraw(): void } }[] = []
      return {
        present(asked) {
          for (const { place } of items) place.withdraw()
          const place = sound.present(asked)
          for (const item of items) item.place = sound.present(item.asked)
          items.push({ asked, place })
          return place
        },
      }
    }),
  },
  {
    name: 'takes any answer',
    rejectedBy: [
      'a confirm is answered with true or false only',
      'a form accepts only fitting answers: keys, types, options, required, one or several',
    ],
    harness: broken((sound) => ({
      answer: async (questionId, answer, options) =>
        sound.answer(questionId, answer, options).catch((error: { code?: string }) => {
          if (error.code !== 'answer_invalid') throw error
        }),
    })),
  },
  {
    name: 'drops a question whose answer was refused',
    rejectedBy: [
      'a confirm is answered with true or false only',
      'an answer that the asker refuses leaves the question shown, and the answerer gets the error',
    ],
    harness: broken((sound) => ({
      answer: async (questionId, answer, options) =>
        sound.answer(questionId, answer, options).catch(async (error) => {
          await sound.cancel(questionId).catch(() => undefined)
          throw error
        }),
    })),
  },
  {
    name: 'accepts every answer and acts on one',
    rejectedBy: [
      'of ten concurrent answers exactly one is accepted, and the waiter gets it',
      'an answer or a cancel when nothing is asked, or after the answer, is stale',
    ],
    harness: broken((sound) => ({
      answer: async (questionId, answer, options) =>
        sound.answer(questionId, answer, options).catch((error: { code?: string }) => {
          if (error.code !== 'stale_answer') throw error
        }),
    })),
  },
  {
    name: 'takes null for the default time-out',
    rejectedBy: [
      'the timeout defaults to the channel’s; null means none; a number is used',
      'null overrides a default timeout',
    ],
    harness: broken((sound) => ({
      confirm: (prompt, options) => sound.confirm(prompt, withoutNull(options)),
    })),
  },
  {
    name: 'forgets its default time-out',
    rejectedBy: ['an unanswered question ends at its timeout, which the error names'],
    harness: broken((sound) => ({
      confirm: (prompt, options = {}) => sound.confirm(prompt, { timeoutSeconds: null, ...options }),
    })),
  },
  {
    name: 'does not listen to signals',
    rejectedBy: [
      'a signal ends the wait, and the channel is free after it',
      'with a signal that has already fired the question is shown once and then aborted',
    ],
    harness: broken((sound) => ({
      confirm: (prompt, { signal: _, ...options } = {}) => sound.confirm(prompt, options),
    })),
  },
  {
    name: 'asks nothing if the signal is set already',
    rejectedBy: ['with a signal that has already fired the question is shown once and then aborted'],
    harness: broken((sound) => ({
      async confirm(prompt, options = {}) {
        options.signal?.throwIfAborted()
        return sound.confirm(prompt, options)
      },
    })),
  },
  {
    name: 'keeps the reason of a cancel to itself',
    rejectedBy: [
      'a cancelled question rejects its waiter with the reason',
      'a cancel reaches the asker with its reason',
    ],
    harness: broken((sound) => ({ cancel: (questionId) => sound.cancel(questionId) })),
  },
  {
    name: 'tells late subscribers nothing',
    rejectedBy: ['a late subscriber gets the question that is shown'],
    harness: broken((sound) => ({
      subscribe(listener) {
        let late = true
        const stop = sound.subscribe((request) => (late ? undefined : listener(request)))
        late = false
        return stop
      },
    })),
  },
  {
    name: 'lets a listener that throws stop the question',
    rejectedBy: ['a subscriber or observer that throws, or changes its argument, has no effect on others'],
    harness: broken((sound) => {
      const listeners: Parameters<Channel['subscribe']>[0][] = []
      return {
        subscribe(listener) {
          listeners.push(listener)
          return () => undefined
        },
        async confirm(prompt, options) {
          const asked = sound.confirm(prompt, options)
          asked.catch(() => undefined)
          const { pending } = sound
          if (pending) for (const listener of listeners) listener(pending)
          return asked
        },
      }
    }),
  },
  {
    name: 'tells observers two endings',
    rejectedBy: ['observers get each question once, and exactly one ending for each'],
    harness: broken((sound) => ({
      observe: (observer) =>
        sound.observe({
          asked: (request) => observer.asked(request),
          settled(request, ending) {
            observer.settled(request, ending)
            if ('ended' in ending) observer.settled(request, ending)
          },
        }),
    })),
  },
  {
    name: 'never unsubscribes',
    rejectedBy: [
      'a subscriber gets each question in order, and nothing after it unsubscribed',
      'observers get no presented questions, and nothing after they unsubscribed',
    ],
    harness: broken((sound) => ({
      subscribe(listener) {
        sound.subscribe(listener)
        return () => undefined
      },
      observe(observer) {
        sound.observe(observer)
        return () => undefined
      },
    })),
  },
  {
    name: 'tells of a question before it shows it',
    rejectedBy: ['a listener can answer its question at once or later, and the question is shown by then'],
    harness: broken((sound) => {
      const observers = new Set<Parameters<Channel['observe']>[0]>()
      return {
        observe(observer) {
          observers.add(observer)
          return () => observers.delete(observer)
        },
        async confirm(prompt, options) {
          const early = { id: 'early', questionId: 'early', kind: 'confirm' } as HitlRequest
          for (const observer of observers)
            tellListener((request: HitlRequest) => observer.asked(request), early, onListenerError)
          return sound.confirm(prompt, options)
        },
      }
    }),
  },
  {
    name: 'takes answers only to what it shows',
    rejectedBy: ['a question that waits behind another can be answered or cancelled, and the one that is shown stays'],
    harness: broken((sound) => ({
      async answer(questionId, answer, options) {
        const { pending } = sound
        const known = pending?.questionId === questionId || pending?.id === questionId
        return sound.answer(known ? questionId : 'none', answer, options)
      },
    })),
  },
  {
    name: 'answers the first of two questions that share an id',
    rejectedBy: ['a question id that two questions share answers neither; their own ids do'],
    harness: broken((sound) => ({
      async answer(questionId, answer, options) {
        const { pending } = sound
        return sound.answer(pending?.questionId === questionId ? pending.id : questionId, answer, options)
      },
    })),
  },
  {
    name: 'gives equal questions equal ids',
    rejectedBy: ['the same question asked twice has two ids'],
    harness: broken((sound) => ({
      get pending() {
        const { pending } = sound
        return pending && { ...pending, id: pending.prompt ?? '', questionId: pending.prompt ?? '' }
      },
      answer: async (_questionId, answer) => sound.answer(sound.pending?.questionId ?? '', answer),
    })),
  },
]

function withoutNull(options: ConfirmOptions = {}): ConfirmOptions {
  const { timeoutSeconds, ...rest } = options
  return timeoutSeconds === null || timeoutSeconds === undefined ? rest : { ...rest, timeoutSeconds }
}
