import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (name: string): string => readFileSync(new URL(`../../bench/${name}`, import.meta.url), 'utf8')

/** The first figure of a row under the case with this name. */
function figure(page: readonly string[], name: string, row: string): number {
  const from = page.findIndex((line) => line.startsWith(`| ${name}`))
  const found = page.slice(from).find((line) => line.startsWith(`| – ${row} `))
  return Number(/([\d.]+) ms/.exec(found ?? '')?.[1])
}

it('the chart of the bench draws the figures of its page, with the durability that people get', () => {
  const page = read('README.md').split('\n')
  const stored = 'durable cycle, synced, 1000 prior tool turns'
  const text = 'text cycle, 100 tool turns'
  const ends = [
    ['LangChain, SQLite', figure(page, stored, 'langchain')],
    ['holdpoint, SQLite', figure(page, stored, 'holdpoint')],
    ['OpenAI SDK, text', figure(page, text, 'openai')],
    ['holdpoint, text', figure(page, text, 'holdpoint')],
  ] as const
  for (const [label, ms] of ends)
    expect(read('history.svg')).toContain(`>${label}, ${ms >= 10 ? Math.round(ms) : ms.toFixed(1)} ms<`)
})
