// @ts-check
import { DBOS } from '@dbos-inc/dbos-sdk'
import { DONE, INPUT, refund, TOOLS } from '../lib/subject/scenario.js'

/** An approve cycle as a DBOS workflow: each answer of the model and the tool is a step, the request an event, the decision a message. @param {string} url */
export async function createDbos(url) {
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, logLevel: 'error', runAdminServer: false })
  const workflow = DBOS.registerWorkflow(
    async (/** @type {string} */ input) => {
      const asked = await DBOS.runStep(async () => refund(input.length), { name: 'model' })
      if (!('call' in asked)) throw new Error('dbos: a call was expected')
      await DBOS.setEvent('request', asked.call)
      const decision = /** @type {{ type: string } | null} */ (await DBOS.recv('decision', 60))
      if (decision?.type !== 'approve') throw new Error('dbos: not approved')
      await DBOS.runStep(async () => TOOLS.refund.execute(/** @type {any} */ (asked.call.args)), { name: 'tool' })
      return DBOS.runStep(async () => DONE.text, { name: 'answer' })
    },
    { name: 'approve' },
  )
  await DBOS.launch()
  return {
    /** Input → a request → approved → done. @param {string} id */
    async cycle(id) {
      const handle = await DBOS.startWorkflow(workflow, { workflowID: id })(INPUT)
      if (!(await DBOS.getEvent(id, 'request', 60))) throw new Error('dbos: no request came')
      await DBOS.send(id, { type: 'approve' }, 'decision')
      if ((await handle.getResult()) !== DONE.text) throw new Error('dbos: another answer was expected')
    },
    close: () => DBOS.shutdown(),
  }
}
