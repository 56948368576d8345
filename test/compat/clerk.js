import { z } from 'zod'

/**
 * The agent that the fixtures of this folder were written with. Names, descriptions and schemas of its tools are part of the fixtures:
 * their fingerprints are stored with every call.
 */
export function clerk({ Agent, tool, scriptedModel }, script) {
  const ran = []
  const define = (name, description, shape, needsApproval = true) =>
    tool({
      name,
      description,
      parameters: z.object(shape),
      needsApproval,
      execute(args) {
        ran.push([name, args])
        return `${name} done`
      },
    })
  const tools = [
    define('look_up', 'Looks up an order.', { order: z.number() }, false),
    define('refund', 'Refunds an order.', { order: z.number(), currency: z.string().default('EUR') }),
    define('mail', 'Sends a mail.', { to: z.string() }),
    define('note', 'Writes a note.', { text: z.string() }),
  ]
  const model = scriptedModel(script)
  return { agent: new Agent({ id: 'clerk', name: 'Clerk', version: '1.0', model, tools }), model, ran }
}
