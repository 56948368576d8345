// An agent of another framework, kept as it is: its refunds stop at a gate, a person decides, and each runs once.
import { humanInTheLoop, memoryStore, openDesk } from 'holdpoint'
import { createGate, type ForeignCall, HoldpointNotReleased } from 'holdpoint/gate'

// Use sqliteStore or postgresStore, so that requests survive the process.
const store = memoryStore()
const policy = humanInTheLoop({ interruptOn: { refund: true } })
const gate = createGate({ store, policy, source: 'my-agent' })

let paid = 0
const refund = async ({ cents }: { cents?: unknown }): Promise<string> => {
  paid += Number(cents)
  return `${Number(cents)} cents paid back`
}

// The model of the other framework made two calls in one message.
const lookUp: ForeignCall = { threadId: 'chat-7', callId: 'c1', toolName: 'find_order', args: { order: '42' } }
const payBack: ForeignCall = { threadId: 'chat-7', callId: 'c2', toolName: 'refund', args: { cents: 199_900 } }

// 1. Where the framework asks whether a call needs a person: judge. Asking again changes nothing.
const states = await gate.judge([lookUp, payBack])
console.log(states.map(({ status }) => status).join(', '))

// 2. Where the framework would run the tool: execute. What nobody has released does not run, whatever the framework believes.
console.log(await gate.execute(lookUp, async () => 'Order 42: one lamp, 19.99.'))
try {
  await gate.execute(payBack, refund)
} catch (error) {
  if (!(error instanceof HoldpointNotReleased)) throw error
  console.log(`not run: ${error.status}`)
}

// 3. A person decides, here at a desk: in the inbox, over HTTP and on the command line it is the same request.
const desk = openDesk({ store })
const { requests } = await desk.list({ status: 'open' })
for (const request of requests)
  await desk.decide({ request, decision: { type: 'edit', args: { cents: 1_999 } }, by: 'ann' })

// 4. The framework goes on. The edited call runs; its replay gets the stored result.
const state = await gate.wait(payBack, { timeoutSeconds: 10 })
console.log(state.status === 'released' ? `released by ${state.by.id}` : state.status)
console.log(await gate.execute(payBack, refund))
console.log(await gate.execute(payBack, refund))

// 5. Arguments that were changed after the approval are another call, which nobody has released.
const forged = { ...payBack, args: { cents: 500_000 } }
console.log((await gate.state(forged)).status, paid)
