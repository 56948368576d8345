import type { Store } from '../../ports/store.ts'
import { StoreFailed } from '../../protocol/errors/errors.ts'

/** A store whose methods can be made to fail, or never to answer, as for a process that is cut off or gone. */
export interface FailingStore {
  readonly store: Store
  /** `up`: it works. `down`: each method rejects. `gone`: no promise settles any more. */
  state: 'up' | 'down' | 'gone'
}

/** Wraps a store. Tenants of it fail with it. */
export function failingStore(sound: Store): FailingStore {
  const failing: FailingStore = { store: wrap(sound), state: 'up' }
  return failing

  function wrap(store: Store): Store {
    return new Proxy(store, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key, target)
        if (typeof member !== 'function') return member
        if (key === 'tenant') return (id: string) => wrap(target.tenant(id))
        return (...args: unknown[]) => {
          if (failing.state === 'down') return Promise.reject(new StoreFailed('The store is down.', undefined))
          if (failing.state === 'gone') return new Promise(() => undefined)
          const answer: unknown = member.apply(target, args)
          return answer instanceof Promise ? answer.then(unlessGone) : answer
        }
      },
    })
  }

  function unlessGone<T>(value: T): T | Promise<never> {
    return failing.state === 'gone' ? new Promise<never>(() => undefined) : value
  }
}
