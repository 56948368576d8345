import { storeAt } from '../../support/stores/stored-at.js'

/** Opens requests, decides them and comments on them, each with a record in the same append, and kills itself at one point. */
/** @type {{ address: string, killAt: number, count: number }} */
const { address, killAt, count } = JSON.parse(process.argv[2] ?? '')
let reached = 0
const store = storeAt(address, {
  crashPoint() {
    if (++reached === killAt) process.kill(process.pid, 'SIGKILL')
  },
})
/** @param {string} name */
const body = (name) => JSON.stringify({ v: 1, type: 'test', name })
/** @param {string} id @returns {import('holdpoint/ports').RecordChange[]} */
const record = (id) => [{ op: 'put', kind: 'done', id, value: '1', expect: 0 }]

for (let n = 0; n < count; n++) {
  const id = `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
  /** @type {import('holdpoint/ports').RequestRow} */
  const row = {
    id,
    questionId: 'q',
    kind: 'approve',
    agent: 'a',
    tool: null,
    assignee: null,
    expiresAt: null,
    readers: null,
    lists: null,
    risk: null,
    text: '',
  }
  const threadId = `t${n}`
  await store.append({
    threadId,
    entries: [body('open')],
    requests: [{ op: 'open', entry: 0, row }],
    records: record(`opened ${id}`),
  })
  /** @type {import('holdpoint/ports').RequestChange} */
  const decide = { op: 'change', entry: 0, id, from: 1, status: 'decided' }
  await store.append({ threadId, entries: [body('decide')], requests: [decide], records: record(`decided ${id}`) })
  /** @type {import('holdpoint/ports').RequestChange} */
  const comment = { op: 'comment', id }
  await store.append({
    threadId: `~notes/${id}`,
    entries: [body('note')],
    requests: [comment],
    records: record(`commented ${id}`),
  })
  await store.writeRecords([
    { op: 'put', kind: 'pair', id: 'a', value: String(n) },
    { op: 'put', kind: 'pair', id: 'b', value: String(n) },
  ])
}
process.stdout.write(`${reached}\n`)
await store.close()
