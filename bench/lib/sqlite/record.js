// @ts-check

/**
 * @typedef {import('../../../dist/index.js').Store} Store
 * @typedef {Parameters<Store['append']>[0]} Append
 * @typedef {Extract<Awaited<ReturnType<Store['append']>>, { ok: true }>} Accepted
 */

/** The same store, which also remembers every append that was accepted. @param {Store} store */
export function recordAppends(store) {
  /** @type {{ append: Append, outcome: Accepted }[]} */
  const appends = []
  /** @type {Store} */
  const recorded = {
    ...store,
    async append(append) {
      const outcome = await store.append(append)
      if (outcome.ok) appends.push({ append, outcome })
      return outcome
    },
  }
  return { store: recorded, appends }
}

/** How many bytes of data these appends put into rows: texts and blobs as they are, eight for every number. @param {readonly { append: Append }[]} appends @param {any} db */
export function payloadBytes(appends, db) {
  const row = db.prepare('SELECT length(head) + length(coalesce(lease_holder, ?)) AS bytes FROM threads LIMIT 1')
  const threadRow = row.get('x'.repeat(40)).bytes + 5 * 8
  return appends.reduce((sum, { append }) => {
    const entries = append.entries.reduce((bytes, body) => bytes + Buffer.byteLength(body) + 16 + 32 + 3 * 8, 0)
    const requests = (append.requests ?? []).reduce((bytes, change) => bytes + requestBytes(change), 0)
    return sum + threadRow + entries + requests + (append.snapshot ? snapshotBytes(append.snapshot) : 0)
  }, 0)
}

/** Its row has a hash and four numbers beside its body, that of a chunk four numbers. @param {NonNullable<Append['snapshot']>} snapshot */
function snapshotBytes({ body, chunks }) {
  const bodies = chunks?.bodies ?? []
  return bodies.reduce((sum, chunk) => sum + Buffer.byteLength(chunk) + 4 * 8, Buffer.byteLength(body) + 32 + 4 * 8)
}

/** @param {NonNullable<Append['requests']>[number]} change */
function requestBytes(change) {
  if (change.op === 'change') return change.status.length + 2 * 8
  const { id, questionId, kind, agent, tool, assignee } = change.row
  const texts = ['default', 'open', id, questionId, kind, agent, tool ?? '', assignee ?? '']
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0) + 5 * 8
}
