/**
 * The live objects that tools get as `ctx.deps`.
 * @typedef {object} Deps
 * @property {import('./effects.js').Effects} effects
 */

/**
 * Does something once, however often the call is tried.
 * @param {import('holdpoint').ToolContext} ctx
 * @param {string} what
 */
export function perform(ctx, what) {
  const { effects } = /** @type {Deps} */ (ctx.deps)
  effects.once({ key: ctx.idempotencyKey, what, thread: ctx.threadId, by: ctx.approvedBy?.id ?? 'nobody' })
  return what
}
