import { openDesk } from 'holdpoint'
import { withCrashPoints } from '../../dist/internals/index.js'
import { storeAt } from '../support/stores/stored-at.js'

/**
 * A process that decides one request and knows no queue. It is killed right after its commit.
 *
 * @typedef {object} Decider
 * @property {string} path the store's address
 * @property {string} request
 */

const { path, request } = /** @type {Decider} */ (JSON.parse(process.argv[2] ?? ''))
const store = withCrashPoints(storeAt(path, { durability: 'process' }), (point) => {
  if (point === 'after:request.decided#1') process.kill(process.pid, 'SIGKILL')
})
await openDesk({ store }).decide({ request, decision: { type: 'approve' }, by: 'ann' })
