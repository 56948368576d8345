import { Agent } from 'holdpoint'
import { modelOf } from './model.js'
import { files, outreach, refunds, release, sql } from './policies.js'
import { closeCount, compareStock } from './tools/close-count.js'
import { countRows, deleteRows } from './tools/delete-rows.js'
import { ciStatus, deployTool } from './tools/deploy.js'
import { lookUpOrder, refund } from './tools/refund.js'
import { resolveSegment, sendMailing } from './tools/send-mailing.js'
import { readOrderForm, setUpShop } from './tools/set-up-shop.js'
import { readMail, shareFile } from './tools/share-file.js'

/** The agents of the demo's company, by name. Some ask others: then `path` of a request says who is behind it. @param {import('./notebook.js').Notebook} notebook */
export function createAgents(notebook) {
  const billing = new Agent({
    name: 'billing',
    instructions: 'Check the order, then refund what is due.',
    model: modelOf('billing'),
    tools: [lookUpOrder, refund],
    policy: refunds,
  })
  const campaigns = new Agent({
    name: 'campaigns',
    instructions: 'Send mailings.',
    model: modelOf('campaigns'),
    tools: [resolveSegment, sendMailing],
    policy: outreach,
  })
  const releases = new Agent({
    name: 'release',
    instructions: 'Deploy what is green.',
    model: modelOf('release'),
    tools: [ciStatus, deployTool(notebook)],
    policy: release,
  })
  const agents = [
    lead('support-desk', billing),
    lead('marketing', campaigns),
    lead('platform', releases),
    new Agent({ name: 'data-steward', model: modelOf('data-steward'), tools: [countRows, deleteRows], policy: sql }),
    new Agent({ name: 'assistant', model: modelOf('assistant'), tools: [readMail, shareFile], policy: files }),
    new Agent({ name: 'onboarding', model: modelOf('onboarding'), tools: [readOrderForm, setUpShop] }),
    new Agent({ name: 'inventory', model: modelOf('inventory'), tools: [compareStock, closeCount] }),
  ]
  return new Map(agents.map((agent) => [agent.name, agent]))
}

/** An agent that hands what it is asked to another one. @param {string} name @param {Agent} other */
function lead(name, other) {
  return new Agent({
    name,
    model: modelOf(name),
    tools: [other.asTool({ name: `ask_${other.name}`, description: `Asks ${other.name}.` })],
  })
}
