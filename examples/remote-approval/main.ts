// An agent in this process. The person who decides is in another one: a browser, or any program with the client.
//
//   main.js            in a terminal: prints an address; open it and decide there (without a terminal: --wait)
//   main.js | cat      a simulated person answers over HTTP, and the program ends by itself
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import {
  Agent,
  HilMessageStreamContext,
  memoryStore,
  memoryStreams,
  notification,
  StreamChannel,
  tool,
} from 'holdpoint'
import { createClient, requestOf } from 'holdpoint/client'
import { createGateway, jwtAuth, serve } from 'holdpoint/gateway'
import { scriptedModel } from 'holdpoint/testing'
import { SignJWT } from 'jose'
import { z } from 'zod'

// What both sides share. In production use postgresStore and redisStreams, so that each side can run anywhere.
const store = memoryStore()
const streams = memoryStreams()

// The gateway authenticates people by tokens that your login issues.
const secret = randomBytes(32).toString('hex')
const gateway = createGateway({ store, streams, auth: jwtAuth({ secret, issuer: 'shop', audience: 'shop' }) })
const token = await new SignJWT({ sub: 'ann' })
  .setProtectedHeader({ alg: 'HS256' })
  .setIssuer('shop')
  .setAudience('shop')
  .setExpirationTime('1h')
  .sign(Buffer.from(secret))

// The page, and the client that it imports: files of the package, without a bundler.
const inPackage = (path: string) => readFileSync(new URL(path, import.meta.resolve('holdpoint/package.json')))
gateway.get('/', (c) => c.html(inPackage('examples/remote-approval/page.html').toString()))
gateway.get('/holdpoint/:path{(client|shared/[\\w-]+)\\.js}', (c) =>
  c.body(inPackage(`dist/${c.req.param('path')}`), 200, { 'content-type': 'text/javascript' }),
)
const server = await serve(gateway, { port: 0 })

// The agent, and a session for the person who watches over it.
const refund = tool({
  name: 'refund',
  description: 'Pays money back.',
  parameters: z.object({ orderId: z.string(), cents: z.number().int().positive() }),
  needsApproval: true,
  preview: ({ orderId, cents }) => `Pay ${(cents / 100).toFixed(2)} back for order ${orderId}, now.`,
  execute: ({ orderId, cents }) => {
    console.log(`refunding ${cents} cents for order ${orderId}`)
    return `${cents} cents are on their way.`
  },
})
const sendMail = tool({
  name: 'send_mail',
  description: 'Sends a mail.',
  parameters: z.object({ to: z.string(), text: z.string() }),
  needsApproval: true,
  execute: ({ to }) => {
    console.log(`mailing ${to}`)
    return 'The mail is sent.'
  },
})
const model = scriptedModel([
  { toolCalls: [{ id: 'c1', name: 'refund', args: { orderId: '42', cents: 199_900 } }] },
  { toolCalls: [{ id: 'c2', name: 'send_mail', args: { to: 'bob@example.com', text: 'It is on its way!!!' } }] },
  ({ messages }) => `The last result was: ${messages.at(-1)?.content}`,
])
const agent = new Agent({ name: 'support', model, tools: [refund, sendMail] })
const session = randomUUID()
const line = await HilMessageStreamContext.open(session, { streams, owner: 'ann' })
const channel = new StreamChannel({ streams, session, store, threadId: 'order-42' })
const thread = agent.thread('order-42', { store, channel })

/** A person who never pays more than 19.99 back, and writes their mails themselves. */
async function simulatedPerson(): Promise<void> {
  const client = createClient({ url: server.url, token })
  for await (const message of client.messages(session)) {
    const request = message.kind === 'interrupt' ? requestOf(message) : undefined
    if (!request) continue
    console.log(`ann is asked: ${request.toolName} ${JSON.stringify(request.args)}`)
    const decision =
      request.toolName === 'refund'
        ? { type: 'edit', args: { ...request.args, cents: 1999 } }
        : { type: 'reject', message: 'I write to him myself.' }
    console.log(`ann decides: ${decision.type}`)
    const outcome = await client.respond(session, message.id, { decision })
    if (outcome !== 'answered') console.log(`ann's answer: ${outcome}`)
  }
}

const waits = process.stdout.isTTY || process.argv.includes('--wait')
if (waits) console.log(`open ${server.url}/#${new URLSearchParams({ session, token })}`)
const person = waits ? undefined : simulatedPerson()

const result = await thread.prompt('Order 42 never came.')
if (result.status !== 'completed') throw result.status === 'failed' ? result.error : new Error(result.status)
console.log(`completed: ${result.finalOutput}`)
await channel.flush()
await notification({ text: result.finalOutput ?? '' }, { stream: session, streams })
// Closing the session drops unread messages, so leave a moment for the last one.
await setTimeout(200)

// When the session closes, the client's loop ends. A server that is closed right afterwards still tells the client.
await line.close()
await person
await server.close()
