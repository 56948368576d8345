import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { holdpoint, type Running, requestId, startInTerminal, tempDir } from '../support/programs.ts'

const PROMPT = '[a]pprove  [e]dit  [r]eject  [q]uit (the question stays)'
const plain = (text: string) => stripVTControlCharacters(text)
const refunds = (dir: string) => {
  const file = join(dir, '.holdpoint', 'refunds.log')
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
}
const pidOf = (dir: string) => Number(readFileSync(join(dir, 'pid'), 'utf8'))

async function atPrompt(dir: string): Promise<{ demo: Running; id: string }> {
  const demo = startInTerminal(dir, ['demo'])
  return { demo, id: requestId(plain(await demo.shows(PROMPT))) }
}

describe('the demo in a terminal', () => {
  it('shows what would run and runs it once when it is approved', async () => {
    const dir = tempDir()
    const { demo } = await atPrompt(dir)
    expect(plain(demo.output)).toMatch(/amountCents +12000/)
    expect(refunds(dir)).toEqual([])
    demo.type('a\r')
    expect(await demo.ended).toBe(0)
    expect(plain(demo.output)).toContain('I refunded EUR 120.00')
    expect(refunds(dir)).toEqual([expect.stringContaining('approvedBy="tester"')])
  })

  it('takes no answer from Enter alone or from a key that means nothing', async () => {
    const dir = tempDir()
    const { demo, id } = await atPrompt(dir)
    await demo.shows(PROMPT, demo.type('\r'))
    await demo.shows('Type a, e, r, q and press Enter.', demo.type('x\r'))
    expect(holdpoint(dir, ['requests']).stdout).toContain(id)
  })

  it('asks again until an edit is one that the tool accepts', async () => {
    const dir = tempDir()
    const { demo } = await atPrompt(dir)
    await demo.shows('field=value', demo.type('e\r'))
    await demo.shows('is not JSON', demo.type('amountCents=lots\r'))
    await demo.shows('12000 → 99000', demo.type('amountCents=99000\r'))
    await demo.shows('The tool does not accept that', demo.type('\r'))
    expect(refunds(dir)).toEqual([])
    await demo.shows('12000 → 6000', demo.type('amountCents=6000\r'))
    demo.type('\r')
    expect(await demo.ended).toBe(0)
    expect(refunds(dir)).toEqual([expect.stringContaining('amount="EUR 60.00"')])
  })

  it('hands the reason of a rejection to the agent', async () => {
    const dir = tempDir()
    const { demo } = await atPrompt(dir)
    await demo.shows('Why not?', demo.type('r\r'))
    demo.type('Ask for a photo first.\r')
    expect(await demo.ended).toBe(0)
    expect(plain(demo.output)).toContain('I was told: Ask for a photo first.')
    expect(refunds(dir)).toEqual([])
  })

  it('killed at the prompt and started again, it comes back to the same question', async () => {
    const dir = tempDir()
    const { demo, id } = await atPrompt(dir)
    process.kill(pidOf(dir), 'SIGKILL')
    await demo.ended
    const again = await atPrompt(dir)
    expect(plain(again.demo.output)).toContain('Welcome back')
    expect(again.id).toBe(id)
    again.demo.type('a\r')
    expect(await again.demo.ended).toBe(0)
    expect(refunds(dir)).toHaveLength(1)
  })

  it.each([
    ['q', 'q\r', 0],
    ['Ctrl-C', '\u0003', 130],
    ['Ctrl-D', '\u0004', 0],
  ])('left by %s, it says that nothing is lost, and nothing is', async (_, keys, code) => {
    const dir = tempDir()
    const { demo, id } = await atPrompt(dir)
    demo.type(keys)
    expect(await demo.ended).toBe(code)
    expect(plain(demo.output)).toContain('Nothing is lost')
    expect(holdpoint(dir, ['requests']).stdout).toContain(id)
  })

  it('ended by the system at the prompt, it says so too', async () => {
    const dir = tempDir()
    const { demo, id } = await atPrompt(dir)
    process.kill(pidOf(dir), 'SIGTERM')
    expect(await demo.ended).toBe(143)
    expect(plain(demo.output)).toContain('Nothing is lost')
    expect(holdpoint(dir, ['requests']).stdout).toContain(id)
  })

  it.each([
    ['at the prompt', ''],
    ['in the middle of an answer', 'r\rBecau'],
  ])('gives way to a decision from another shell %s', async (_, typed) => {
    const dir = tempDir()
    const { demo, id } = await atPrompt(dir)
    if (typed !== '') await demo.shows('Becau', demo.type(typed))
    expect(holdpoint(dir, ['approve', id, '--as', 'bob']).code).toBe(0)
    expect(await demo.ended).toBe(0)
    expect(plain(demo.output)).toContain('bob (cli) decided from elsewhere: approve')
    expect(refunds(dir)).toHaveLength(1)
  })

  it('has colours, unless NO_COLOR says otherwise', async () => {
    const dir = tempDir()
    const { demo } = await atPrompt(dir)
    expect(demo.output).toContain('\u001b[1m')
    const grey = startInTerminal(tempDir(), ['demo'], { NO_COLOR: '1' })
    const shown = await grey.shows(PROMPT)
    for (const code of [1, 2, 31, 32, 36]) expect(shown).not.toContain(`\u001b[${code}m`)
  })
})

describe('edit in a terminal', () => {
  it('opens the editor with the arguments and decides what was written', async () => {
    const dir = tempDir()
    const { demo, id } = await atPrompt(dir)
    const editor = startInTerminal(dir, ['edit', id], { VISUAL: `sed -i 's/12000/5000/'` })
    expect(await editor.ended).toBe(0)
    expect(await demo.ended).toBe(0)
    expect(refunds(dir)).toEqual([expect.stringContaining('amount="EUR 50.00"')])
  })

  it('asks again when what was written is not JSON, and decides nothing when given up', async () => {
    const dir = tempDir()
    const { id } = await atPrompt(dir)
    const editor = startInTerminal(dir, ['edit', id], { VISUAL: `sed -i 's/12000/oops/'` })
    await editor.shows('Edit again?')
    editor.type('n\r')
    expect(await editor.ended).toBe(1)
    expect(plain(editor.output)).toContain('[edit_given_up]')
    expect(holdpoint(dir, ['requests']).stdout).toContain(id)
  })
})
