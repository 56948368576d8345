import { z } from 'zod'
import { Agent, type AgentOptions, type JsonObject, tool } from '../../../src/index.ts'
import { type ScriptStep, scriptedModel } from '../../../src/testing.ts'

/** An agent with five free tools under a policy, whose model makes these calls and then says "Done.". */
export function policedAgent(
  policy: AgentOptions['policy'],
  options: { calls?: [string, JsonObject][]; steps?: ScriptStep[] } = {},
) {
  const ran: [string, unknown][] = []
  const make = (name: string, risk?: 'low' | 'high') =>
    tool({
      name,
      description: name,
      parameters: z.object({ query: z.string() }),
      ...(risk ? { risk } : {}),
      execute: (args) => {
        ran.push([name, args])
        return `${name} ok`
      },
    })
  const calls = options.calls ?? [['execute_sql', { query: 'DELETE' }]]
  const first = { toolCalls: calls.map(([name, args], i) => ({ id: `c${i + 1}`, name, args })) }
  const model = scriptedModel(options.steps ?? [first, 'Done.', 'Done.'])
  const tools = [
    make('write_file'),
    make('execute_sql'),
    make('read_data'),
    make('ping', 'low'),
    make('db.drop', 'high'),
  ]
  return { ran, model, agent: new Agent({ name: 'a', model, tools, ...(policy ? { policy } : {}) }) }
}
