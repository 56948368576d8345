// @ts-check
import { createHoldpoint } from '../../peers/holdpoint.js'

/** @typedef {import('../../../dist/index.js').Store} Store */
/** @typedef {Parameters<Store['append']>[0]} Append */

/**
 * Makes copies of finished conversations with about so many tool turns, with the snapshot and the chunks that a thread of that length has. They have
 * one turn less, as many, or one more, in turn: where a cycle begins decides whether it writes a snapshot. @param {Store} store @param {number} turns
 */
export async function createCopies(store, turns) {
  const templates = []
  for (const more of [-1, 0, 1]) templates.push(await createTemplate(store, `template-${turns + more}`, turns + more))
  let made = 0
  return async (/** @type {string} */ threadId) => {
    for (const append of templates[made++ % templates.length] ?? []) await store.append({ threadId, ...append })
  }
}

/** The appends that make a copy: what is before the last snapshot, and the rest with it. @param {Store} store @param {string} threadId @param {number} turns */
async function createTemplate(store, threadId, turns) {
  /** @type {Append[]} */
  const appends = []
  await createHoldpoint().build(recording(store, appends), threadId, turns)
  const at = appends.findLastIndex(({ snapshot }) => snapshot)
  const snapshot = appends[at]?.snapshot
  const chunks = appends.flatMap((append) => append.snapshot?.chunks?.bodies ?? [])
  const [before, after] = [appends.slice(0, at), appends.slice(at)].map((part) =>
    part.flatMap(({ entries }) => entries),
  )
  if (!snapshot || !before || !after) throw new Error('a conversation of this length has a snapshot')
  return [
    { entries: before },
    { version: before.length, entries: after, snapshot: { ...snapshot, chunks: { first: 1, bodies: chunks } } },
  ]
}

/** A store that notes the appends that it accepts. @param {Store} store @param {Append[]} appends @returns {Store} */
function recording(store, appends) {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name !== 'append') return value.bind(target)
      return async (/** @type {Append} */ append) => {
        const outcome = await target.append(append)
        if (outcome.ok) appends.push(append)
        return outcome
      }
    },
  })
}
