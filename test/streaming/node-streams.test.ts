import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, expectTypeOf, test } from 'vitest'
import { Agent, run } from '../../src/index.ts'
import { scripted } from '../support/agents/scripted-agent.ts'

/** An agent whose model says these pieces, then does what `end` does. */
function speaking(pieces: readonly string[], end: () => Promise<void> | void = () => undefined) {
  const model = {
    async *respond() {
      for (const text of pieces) yield { type: 'text' as const, text }
      await end()
      yield { type: 'finish' as const }
    },
  }
  return new Agent({ name: 'clerk', model })
}

test('the text of a stream can be piped like any stream of Node', async () => {
  const stream = await run(speaking(['Grü', '', 'ße', '.']), 'go', { stream: true })
  const text = stream.toTextStream({ compatibleWithNodeStreams: true })
  expectTypeOf(text).toEqualTypeOf<Readable>()
  expect(text).toBeInstanceOf(Readable)
  let heard = ''
  const to = new Writable({
    write(chunk: Buffer, _encoding, done) {
      heard += chunk.toString('utf8')
      done()
    },
  })
  await pipeline(text, to)
  expect(heard).toBe('Grüße.')
  expect(await stream.completed).toMatchObject({ status: 'completed', finalOutput: 'Grüße.' })
})

test('a run that failed ends the stream with its error', async () => {
  const agent = speaking(['Hello'], () => {
    throw new Error('down')
  })
  const stream = await run(agent, 'go', { stream: true })
  const read = stream.toTextStream({ compatibleWithNodeStreams: true }).toArray()
  await expect(read).rejects.toMatchObject({ code: 'model_failed' })
})

test('destroying the stream cancels the run, also while its model is silent', async () => {
  let open: (() => void) | undefined
  const silent = new Promise<void>((resolve) => {
    open = resolve
  })
  const stream = await run(
    speaking(['Hello'], () => silent),
    'go',
    { stream: true },
  )
  const text = stream.toTextStream({ compatibleWithNodeStreams: true })
  const [first] = await text.take(1).toArray()
  expect(first).toBe('Hello')
  text.destroy()
  expect((await stream.completed).status).toBe('incomplete')
  expect(stream.cancelled).toBe(true)
  open?.()
})

test('without the option it stays a stream of the web, and a misspelt option is refused', async () => {
  const stream = await run(scripted(['Hello.']).agent, 'go', { stream: true })
  expect(() => stream.toTextStream({ compatibleWithNodeStream: true } as never)).toThrow('compatibleWithNodeStream')
  expect(() => stream.toTextStream({ compatibleWithNodeStreams: 1 as never })).toThrow('true or false')
  expect(stream.toTextStream()).toBeInstanceOf(ReadableStream)
  await stream.completed
})
