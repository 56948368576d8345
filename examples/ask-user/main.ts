// The model sends a form to the person and reads the answers, with the built-in tool ask_user.
import { Agent, askUser, type HitlRequest, HoldpointError, InMemoryChannel } from 'holdpoint'
import { scriptedModel } from 'holdpoint/testing'

const questions = [
  {
    key: 'size',
    prompt: 'Which size?',
    options: [
      { label: 'Small', value: 's' },
      { label: 'Large', value: 'l' },
    ],
  },
  {
    key: 'toppings',
    prompt: 'Which toppings?',
    multiSelect: true,
    options: [
      { label: 'Olives', value: 'olives' },
      { label: 'Capers', value: 'capers' },
      { label: 'Something else', value: 'other', allowInput: true },
    ],
  },
  { key: 'note', prompt: 'A note for the kitchen?', required: false },
]

const model = scriptedModel([
  { toolCalls: [{ id: 'c1', name: 'ask_user', args: { questions } }] },
  ({ messages }) => `Ordered: ${messages.at(-1)?.content}`,
])

const agent = new Agent({ name: 'waiter', model, tools: [askUser()] })
const channel = new InMemoryChannel()
const thread = agent.thread('table-5', { channel })

// Stands in for the person. An answer that does not match the form is refused, and the form stays open.
async function fillIn({ questionId, questions: asked }: HitlRequest): Promise<void> {
  for (const { key, prompt, options } of asked ?? [])
    console.log(`${key}: ${prompt} ${(options ?? []).map(({ label }) => label).join(', ')}`)
  try {
    await channel.answer(questionId, { size: 'huge', toppings: [] })
  } catch (error) {
    if (!(HoldpointError.isInstance(error) && error.code === 'answer_invalid')) throw error
    console.log(`refused: ${error.message}`)
  }
  await channel.answer(questionId, { size: 'l', toppings: ['olives', 'walnuts'] })
}

channel.subscribe(fillIn)

const result = await thread.prompt('A pizza, please.')
console.log(result.status === 'completed' ? result.finalOutput : result.status)
