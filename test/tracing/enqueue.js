import { enqueueRun } from 'holdpoint/worker'
import { storeAt } from '../support/stores/stored-at.js'

/** Enqueues a run of the teller: its arguments are the store, the thread and what the run is told. */
const [path, threadId, input] = process.argv.slice(2)
const store = storeAt(String(path), { durability: 'process' })
await enqueueRun(store, { agent: 'teller', threadId: String(threadId), input: String(input) })
await store.close()
