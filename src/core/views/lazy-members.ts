/** Where an object keeps what its lazy members read. Not enumerable: a copy of the object has their values instead. */
const SOURCE = Symbol('source')

/**
 * Returns a function that gives objects members which are computed when they are read. All these objects share one set of getters. A getter of an object's
 * own is kept by V8 until the next full collection, and with it everything that it can reach, which here may be a long conversation.
 */
export function lazyMembers<S, M extends object>(
  read: {
    [K in keyof M]: (source: S) => M[K]
  },
): <T extends object>(target: T, source: S) => T & Readonly<M> {
  const members: PropertyDescriptorMap = {}
  for (const name of Object.keys(read) as (keyof M & string)[]) {
    members[name] = {
      get(this: { [SOURCE]: S }) {
        return read[name](this[SOURCE])
      },
      enumerable: true,
      configurable: true,
    }
  }
  return <T extends object>(target: T, source: S) => {
    Object.defineProperty(target, SOURCE, { value: source })
    return Object.defineProperties(target, members) as T & Readonly<M>
  }
}
