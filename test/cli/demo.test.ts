import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Stage } from '../../demo/stage.js'
import { ROOT } from '../../scripts/lib/root.js'
import type { DemoStage } from '../../src/cli/commands/start/demo.ts'
import { holdpoint, requestId, start, tempDir } from './support/programs.ts'

const refunds = (dir: string) => {
  const file = join(dir, '.holdpoint', 'refunds.log')
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
}

describe('the folder of the demo', () => {
  it('uses what the package exports and nothing else, for types too', () => {
    const folder = join(ROOT, 'demo')
    const files = readdirSync(folder).filter((name) => name.endsWith('.js'))
    const imports = files.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/(?:from |import\(|import )'([^']+)'/g)].map(
        ([, from]) => from,
      ),
    )
    expect(imports.length).toBeGreaterThan(20)
    expect(
      imports.filter((from) => !/^(\.\/[\w-]+\.js|node:[\w/]+|zod|holdpoint(\/ports)?)$/.test(from ?? '')),
    ).toEqual([])
  })

  it('takes the stage that the command line gives it', () => {
    // Names only: the demo's types are those of dist/, which may be older than the sources.
    expectTypeOf<keyof DemoStage>().toEqualTypeOf<keyof Stage>()
    expectTypeOf<keyof DemoStage['terminal']>().toEqualTypeOf<keyof Stage['terminal']>()
    expectTypeOf<keyof DemoStage['print']>().toEqualTypeOf<keyof Stage['print']>()
    expectTypeOf<keyof DemoStage['words']>().toEqualTypeOf<keyof Stage['words']>()
  })
})

describe('the demo without a terminal', () => {
  it('shows what would run, says how to decide from another shell, waits, and goes on to the end', async () => {
    const dir = tempDir()
    const demo = start(dir, ['demo'])
    const shown = await demo.shows('Waiting.')
    const id = requestId(shown)
    expect(shown).toMatch(
      /^Refund €120\.00\n {2}amountCents +€120\.00 \(12000\)\n {2}orderId +"A-1042"\n {2}currency +"EUR"\n {2}reason +"Arrived broken"$/m,
    )
    for (const command of ['requests', `approve ${id}`, `edit ${id}`, `reject ${id}`]) {
      expect(shown).toContain(`npx holdpoint ${command}`)
    }
    expect(refunds(dir)).toEqual([])

    const listed = holdpoint(dir, ['requests'])
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(listed.stdout).toContain(`${id}  open\n  refund  orderId "A-1042", amountCents 12000`)

    const approved = holdpoint(dir, ['approve', id, '--as', 'ada', '--comment', 'seen the photo'])
    expect(approved).toMatchObject({ code: 0, stderr: '' })
    expect(approved.stdout).toContain('Approved by ada:\n  refund')

    expect(await demo.ended).toBe(0)
    expect(demo.output).toContain('ada (cli) decided from elsewhere: approve')
    expect(demo.output).toContain('I refunded EUR 120.00 for order A-1042')
    expect(demo.output).toContain('The refund ran once.')
    expect(demo.output).toContain('npx holdpoint audit verify')
    expect(refunds(dir)).toEqual([expect.stringMatching(/thread="demo\/1" .*approvedBy="ada" key="[0-9a-f]{64}"/)])
    expect(holdpoint(dir, ['audit', 'verify'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ok +demo\/1/),
    })
  })

  it('comes back to the same question after it was killed, and runs once whatever was killed', async () => {
    const dir = tempDir()
    const first = start(dir, ['demo'])
    const id = requestId(await first.shows('Waiting.'))
    first.child.kill('SIGKILL')
    expect(await first.ended).toBe(137)

    const second = start(dir, ['demo'])
    const shown = await second.shows('Waiting.')
    expect(shown).toContain('Welcome back')
    expect(requestId(shown)).toBe(id)
    second.child.kill('SIGKILL')
    await second.ended

    // Decided while nobody is there, it goes on when somebody is.
    expect(holdpoint(dir, ['approve', id]).code).toBe(0)
    expect(refunds(dir)).toEqual([])
    const third = start(dir, ['demo'])
    expect(await third.ended).toBe(0)
    expect(third.output).toContain('The refund ran once.')
    expect(refunds(dir)).toHaveLength(1)

    const fourth = start(dir, ['demo'])
    const fresh = await fourth.shows('Waiting.')
    expect(fresh).toContain('thread demo/2')
    expect(requestId(fresh)).not.toBe(id)
    expect(refunds(dir)).toHaveLength(1)
  })

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('ends cleanly on %s and leaves the question open', async (signal, code) => {
    const dir = tempDir()
    const demo = start(dir, ['demo'])
    const id = requestId(await demo.shows('Waiting.'))
    demo.child.kill(signal)
    expect(await demo.ended).toBe(code)
    expect(demo.output).toContain('Nothing is lost')
    expect(demo.output).toContain('npx holdpoint demo')
    expect(holdpoint(dir, ['requests']).stdout).toContain(id)
  })

  it('tells the agent of a rejection and refunds nothing', async () => {
    const dir = tempDir()
    const demo = start(dir, ['demo'])
    const id = requestId(await demo.shows('Waiting.'))
    expect(holdpoint(dir, ['reject', id, '--message', 'Ask for a photo first.']).code).toBe(0)
    expect(await demo.ended).toBe(0)
    expect(demo.output).toContain('I was told: Ask for a photo first.')
    expect(demo.output).toContain('No refund was made.')
    expect(refunds(dir)).toEqual([])
  })

  it('runs what was edited, and says so', async () => {
    const dir = tempDir()
    const demo = start(dir, ['demo'])
    const id = requestId(await demo.shows('Waiting.'))
    expect(holdpoint(dir, ['edit', id, '--set', 'amountCents=6000', '--set', 'reason=Chipped']).code).toBe(0)
    expect(await demo.ended).toBe(0)
    expect(demo.output).toContain('"amountCents":6000,"currency":"EUR","reason":"Chipped"')
    expect(refunds(dir)).toEqual([expect.stringContaining('amount="EUR 60.00"')])
  })

  it('lets a person answer in the place of the tool', async () => {
    const dir = tempDir()
    const demo = start(dir, ['demo'])
    const id = requestId(await demo.shows('Waiting.'))
    expect(holdpoint(dir, ['respond', id, '--message', 'A voucher was sent instead.']).code).toBe(0)
    expect(await demo.ended).toBe(0)
    expect(demo.output).toContain('About your refund: A voucher was sent instead.')
    expect(refunds(dir)).toEqual([])
  })

  it('shown twice at once, it is one run: both see the end and the refund is made once', async () => {
    const dir = tempDir()
    const one = start(dir, ['demo'])
    const id = requestId(await one.shows('Waiting.'))
    const other = start(dir, ['demo'])
    expect(requestId(await other.shows('Waiting.'))).toBe(id)
    expect(holdpoint(dir, ['approve', id]).code).toBe(0)
    expect(await Promise.all([one.ended, other.ended])).toEqual([0, 0])
    for (const demo of [one, other]) expect(demo.output).toContain('The refund ran once.')
    expect(refunds(dir)).toHaveLength(1)
  })

  it('names the store in what it tells people to type when it is not where they would look', async () => {
    const dir = tempDir()
    const demo = start(dir, ['demo', '--store', 'my stores/a.db'])
    const shown = await demo.shows('Waiting.')
    expect(shown).toContain(`npx holdpoint requests --store 'my stores/a.db'`)
    expect(existsSync(join(dir, 'my stores', 'a.db'))).toBe(true)
    expect(existsSync(join(dir, '.holdpoint'))).toBe(false)
    const found = holdpoint(dir, ['requests'], { HOLDPOINT_STORE: 'my stores/a.db' })
    expect(found.stdout).toContain(requestId(shown))
  })
})
