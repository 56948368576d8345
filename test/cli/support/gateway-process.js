import { createGateway, jwtAuth, serve } from '../../../dist/gateway.js'
import { sqliteStore } from '../../../dist/sqlite.js'

// A gateway over the store of the current folder, until it is killed. Prints its address.
const auth = jwtAuth({ secret: process.env.HOLDPOINT_JWT_SECRET ?? '' })
const store = sqliteStore({ path: '.holdpoint/holdpoint.db' })
const undoSeconds = Number(process.env.UNDO_SECONDS)
const server = await serve(createGateway({ store, auth, undoSeconds }), { port: Number(process.env.PORT) })
process.stdout.write(`${server.url}\n`)
