import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startGateway } from '../support/gateways.ts'
import { holdpoint, start, startInTerminal, tempDir } from '../support/programs.ts'
import { seed } from '../support/store.ts'

const PROMPT = 'number  [l]ist  [q]uit > '
const plain = (text: string) => stripVTControlCharacters(text)

describe('the inbox in a terminal, at a gateway', () => {
  it('reads, decides, hears of others, and takes a decision back', async () => {
    const dir = tempDir()
    const [first, second] = await seed(dir, [{ text: 'one' }, { text: 'two' }])
    const gateway = await startGateway(dir, { undoSeconds: 600 })
    const env = gateway.env('ann', 'reviewer')
    const inbox = startInTerminal(tempDir(), ['inbox'], { ...env, NO_COLOR: '1' })
    await inbox.shows(PROMPT)
    expect(plain(inbox.output)).toContain(`ann at ${gateway.url}`)
    await inbox.shows('[b]ack > ', inbox.type('1\r'))
    await inbox.shows('Sure? [y/N]', inbox.type('a\r'))
    await inbox.shows('until then u takes it back', inbox.type('y\r'))
    await inbox.shows(/\[u\]ndo \(\d+ s\)/)
    await inbox.shows('open again, at version 3', inbox.type('u\r'))
    const other = gateway.env('bob', 'reviewer')
    const from = inbox.output.length
    expect(holdpoint(tempDir(), ['reject', second!], other).code).toBe(0)
    expect(plain(await inbox.shows('rejected by bob', from))).toContain('done     2')
    const shown = JSON.parse(holdpoint(tempDir(), ['show', first!, '--json'], other).stdout)
    expect(shown).toMatchObject({ status: 'open', version: 3 })
    inbox.type('q\r')
    expect(await inbox.ended).toBe(0)
  })

  it('says that the connection is lost, and goes on when it is back', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'one' }])
    const gateway = await startGateway(dir)
    const inbox = startInTerminal(tempDir(), ['inbox'], { ...gateway.env('ann', 'reviewer'), NO_COLOR: '1' })
    await inbox.shows(PROMPT)
    // The stream is live once it tells something.
    const live = inbox.output.length
    await seed(dir, [{ text: 'two' }], 'u')
    await inbox.shows('text "two"', live)
    const lost = inbox.output.length
    gateway.running.child.kill('SIGKILL')
    await inbox.shows('The connection is lost.', lost)
    await seed(dir, [{ text: 'three' }], 'v')
    await startGateway(dir, { port: Number(new URL(gateway.url).port) })
    await inbox.shows('Connected again.', lost)
    // What happened meanwhile is told, too.
    await inbox.shows('text "three"', lost)
    await inbox.shows('version 1', inbox.type('3\r'))
  })

  it('watch prints what the person may see, as lines of JSON', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'one' }])
    const gateway = await startGateway(dir)
    const watch = start(tempDir(), ['inbox', 'watch', '--json'], gateway.env('ann', 'reviewer'))
    let ids: string[] = []
    for (let count = 0; watch.output === ''; count++) {
      ids = await seed(dir, [{ text: 'two' }], `w${count}`)
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
    const [line = ''] = watch.output.split('\n')
    expect(JSON.parse(line)).toMatchObject({ type: 'request', what: 'opened', request: { toolName: 'send' } })
    expect(ids).toHaveLength(1)
    watch.child.kill('SIGTERM')
    expect(await watch.ended).toBe(143)
    const refused = holdpoint(tempDir(), ['inbox', 'watch'], { ...gateway.env('a'), HOLDPOINT_TOKEN: 'nonsense' })
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('[unauthenticated]')])
  })
})
