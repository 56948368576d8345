// A program that asks in the terminal whether a tool may run. Between question and answer the run is only a file.
import fs from 'node:fs/promises'
import readline from 'node:readline'
import { Agent, type Model, type RunResult, RunState, run, tool } from 'holdpoint'
import { z } from 'zod'

const getWeather = tool({
  name: 'get_weather',
  description: 'Get the weather for a given city',
  parameters: z.object({ location: z.string() }),
  // Looking up the weather in San Francisco needs somebody's consent.
  needsApproval: async (_context, { location }) => location === 'San Francisco',
  execute: async ({ location }) => `The weather in ${location} is sunny`,
})

// Stands in for a language model: asks for both cities at once, then repeats the results.
const model: Model = {
  async respond({ messages }) {
    const told = messages.flatMap((message) =>
      message.role === 'tool' && message.toolName === 'get_weather' ? [message.content] : [],
    )
    if (told.length > 0) return { content: told.join('\n') }
    const ask = (location: string) => ({ name: 'get_weather', args: { location } })
    return { toolCalls: [ask('Oakland'), ask('San Francisco')] }
  },
}

const dataAgent = new Agent({
  name: 'Data agent',
  instructions: 'You are a data agent',
  handoffDescription: 'You know everything about the weather',
  model,
  tools: [getWeather],
})

const agent = new Agent({
  name: 'Basic test agent',
  instructions: 'You are a basic agent',
  model: { respond: async () => ({ toolCalls: [{ name: 'transfer_to_Data_agent', args: {} }] }) },
  handoffs: [dataAgent],
})

const { isTTY = false } = process.stdin
const terminal = readline.createInterface({ input: process.stdin, ...(isTTY ? { output: process.stdout } : {}) })
const answers = terminal[Symbol.asyncIterator]()

/** Asks in the terminal, or reads the lines that were piped in. The end of input is a no. */
async function confirm(question: string): Promise<boolean> {
  process.stdout.write(`${question} (y/n): `)
  const { done, value } = await answers.next()
  const answer: string = done ? 'n' : value
  if (!isTTY) console.log(answer)
  return ['y', 'yes'].includes(answer.trim().toLowerCase())
}

let result: RunResult = await run(agent, 'What is the weather in Oakland and San Francisco?')
while (result.interruptions.length > 0) {
  // storing
  await fs.writeFile('result.json', JSON.stringify(result.state, null, 2), 'utf-8')

  // from here on it could be a different process

  // reading later on
  const storedState = await fs.readFile('result.json', 'utf-8')
  const state = await RunState.fromString(agent, storedState)

  for (const interruption of state.interruptions) {
    const confirmed = await confirm(
      `Agent ${interruption.agent} would like to use the tool ${interruption.toolName} with ${JSON.stringify(interruption.args)}. Do you approve?`,
    )
    if (confirmed) await state.approve(interruption)
    else await state.reject(interruption)
  }

  // resume execution of the current state
  result = await run(agent, state)
}
terminal.close()

if (result.status === 'failed') throw result.error
console.log(result.finalOutput)
