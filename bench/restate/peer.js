// @ts-check
import { once } from 'node:events'
import { createServer } from 'node:http2'
import { DONE, INPUT, refund, TOOLS } from '../lib/subject/scenario.js'
import { startRestate } from './server.js'

// The SDK needs it, and Node 20 does not have it.
Promise.withResolvers ??= /** @type {any} */ (
  () => {
    const parts = /** @type {any} */ ({})
    parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }))
    return parts
  }
)
const { createEndpointHandler, workflow } = await import('@restatedev/restate-sdk')
const { connect } = await import('@restatedev/restate-sdk-clients')

/** An approve cycle as a Restate workflow: each answer of the model and the tool is a step, the request and the decision are durable promises. */
const approve = workflow({
  name: 'approve',
  handlers: {
    run: async (/** @type {import('@restatedev/restate-sdk').WorkflowContext} */ ctx, /** @type {string} */ input) => {
      const asked = await ctx.run('model', () => refund(input.length))
      if (!('call' in asked)) throw new Error('restate: a call was expected')
      await ctx.promise('request').resolve(asked.call)
      const decision = /** @type {{ type: string }} */ (await ctx.promise('decision'))
      if (decision.type !== 'approve') throw new Error('restate: not approved')
      await ctx.run('tool', () => TOOLS.refund.execute(/** @type {any} */ (asked.call.args)))
      return ctx.run('answer', () => DONE.text)
    },
    request: async (/** @type {import('@restatedev/restate-sdk').WorkflowSharedContext} */ ctx) =>
      ctx.promise('request'),
    decide: async (
      /** @type {import('@restatedev/restate-sdk').WorkflowSharedContext} */ ctx,
      /** @type {{ type: string }} */ decision,
    ) => ctx.promise('decision').resolve(decision),
  },
})

/** Starts a server and the endpoint that it calls, in this process. */
export async function createRestate() {
  const server = await startRestate()
  const endpoint = createServer(createEndpointHandler({ services: [approve], logger: () => undefined })).listen(
    0,
    '127.0.0.1',
  )
  await once(endpoint, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (endpoint.address())
  const registered = await fetch(`${server.admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${port}` }),
  })
  if (!registered.ok) throw new Error(`restate: ${registered.status} ${await registered.text()}`)
  const ingress = connect({ url: server.ingress })
  return {
    /** Input → a request → approved → done. @param {string} id */
    async cycle(id) {
      const client = ingress.workflowClient(approve, id)
      await client.workflowSubmit(INPUT)
      if (!(await client.request())) throw new Error('restate: no request came')
      await client.decide({ type: 'approve' })
      if ((await client.workflowAttach()) !== DONE.text) throw new Error('restate: another answer was expected')
    },
    async close() {
      await server.close()
      endpoint.close()
    },
  }
}
