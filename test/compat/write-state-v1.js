/**
 * Wrote `state-v1.json`, with the first release that wrote version 1 (`npm run build`, then `node test/compat/write-state-v1.js`). It is kept to
 * show where the file comes from. The file itself is never written again: what a released version wrote must stay readable for ever.
 */
import { writeFileSync } from 'node:fs'
import * as holdpoint from '../../dist/index.js'
import { scriptedModel } from '../../dist/testing.js'
import { clerk } from './clerk.js'

const { memoryStore, openDesk, run } = holdpoint
const script = [
  'Hello.',
  { toolCalls: [{ id: 'c0', name: 'note', args: { text: 'nobody answers this' } }] },
  {
    text: 'I will settle it.',
    usage: { inputTokens: 11, outputTokens: 7 },
    toolCalls: [
      { id: 'c1', name: 'look_up', args: { order: 42 } },
      { id: 'c2', name: 'refund', args: { order: 42 } },
      { id: 'c3', name: 'mail', args: { to: 'bob@example.com' } },
      { id: 'c4', name: 'note', args: { text: 'ünï 😀' } },
      { id: 'c5', name: 'mail', args: { to: 'ann@example.com' } },
      { id: 'c6', name: 'refund', argsText: '{"order": ' },
      { id: 'c7', name: 'fly', args: {} },
    ],
  },
]
let now = 1_750_000_000_000
const store = memoryStore({ clock: { now: () => now++ } })
const { agent } = clerk({ ...holdpoint, scriptedModel }, script)
const options = { store, threadId: 'order/42' }
const by = { kind: 'person', id: 'ann', via: 'desk' }

await run(agent, 'Hi.', options)
await run(agent, 'Note this.', { ...options, context: { user: 'ann', roles: ['clerk'] } })
const { state, interruptions } = await run(agent, 'Settle order 42.', { ...options, whilePaused: 'supersede' })
const [refund, mail, note] = interruptions
const desk = openDesk({ store })
await desk.decide({ request: refund.id, decision: { type: 'approve' }, by, comment: 'checked', always: true })
await desk.decide({ request: mail.id, decision: { type: 'reject' }, by, undoSeconds: 60 })
await desk.withdraw(mail.id, by)
await desk.decide({ request: mail.id, decision: { type: 'edit', args: { to: 'eve@example.com' } }, by })
await state.addInput('And thank them.')
await state.reject(note, { message: 'no notes', by: 'bob' })
await run(agent, state)
const text = state.toString({ signingKeys: [{ id: 'k1', secret: 'fixture' }] })
writeFileSync(new URL('./state-v1.json', import.meta.url), `${JSON.stringify(JSON.parse(text), null, 1)}\n`)
