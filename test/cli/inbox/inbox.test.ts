import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { openDesk } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { holdpoint, type Running, start, startInTerminal, tempDir } from '../support/programs.ts'
import { seed, storePath } from '../support/store.ts'

const PROMPT = 'number  [l]ist  [q]uit > '
const CARD = '[a]pprove  [e]dit  [r]eject  re[s]pond  [b]ack > '
const plain = (text: string) => stripVTControlCharacters(text)

async function atInbox(dir: string): Promise<Running> {
  const inbox = startInTerminal(dir, ['inbox'], { NO_COLOR: '1' })
  await inbox.shows(PROMPT)
  return inbox
}

const statusOf = (dir: string, id: string) => JSON.parse(holdpoint(dir, ['show', id, '--json']).stdout)

describe('the inbox in a terminal', () => {
  it('lists what waits, oldest first, shows one by its number, and decides nothing without a confirmation', async () => {
    const dir = tempDir()
    const [first] = await seed(dir, [{ text: 'one' }, { text: 'two' }])
    const inbox = await atInbox(dir)
    expect(plain(inbox.output)).toMatch(/1 +send {2}text "one"[\s\S]+2 +send {2}text "two"/)
    await inbox.shows(CARD, inbox.type('1\r'))
    await inbox.shows('Sure? [y/N]', inbox.type('a\r'))
    await inbox.shows(CARD, inbox.type('\r'))
    expect(statusOf(dir, first!).status).toBe('open')
    await inbox.shows('Sure? [y/N]', inbox.type('a\r'))
    await inbox.shows('Approved by tester', inbox.type('y\r'))
    await inbox.shows(PROMPT)
    // What we decide ourselves is no news.
    expect(plain(inbox.output)).not.toContain('done')
    expect(statusOf(dir, first!).decision).toMatchObject({ type: 'approve', by: { id: 'tester', via: 'cli' } })
    inbox.type('q\r')
    expect(await inbox.ended).toBe(0)
  })

  it('edits, rejects with a reason, and answers in place of the tool', async () => {
    const dir = tempDir()
    const [first, second, third] = await seed(dir, [{ text: 'one' }, { text: 'two' }, { text: 'three' }])
    const inbox = await atInbox(dir)
    await inbox.shows(CARD, inbox.type('1\r'))
    await inbox.shows('field=value', inbox.type('e\r'))
    await inbox.shows('there is no', inbox.type('to.name=x\r'))
    await inbox.shows('text "ONE"', inbox.type('text=ONE\r'))
    await inbox.shows('Approve with changes: send  text "ONE"', inbox.type('\r'))
    await inbox.shows(PROMPT, inbox.type('y\r'))
    await inbox.shows(CARD, inbox.type('2\r'))
    await inbox.shows('Why not?', inbox.type('r\r'))
    await inbox.shows('Sure?', inbox.type('Not now.\r'))
    await inbox.shows(PROMPT, inbox.type('y\r'))
    await inbox.shows(CARD, inbox.type('3\r'))
    await inbox.shows('What is the result?', inbox.type('s\r'))
    await inbox.shows('Sure?', inbox.type('Done by hand.\r'))
    await inbox.shows(PROMPT, inbox.type('y\r'))
    expect(statusOf(dir, first!).decision).toMatchObject({ type: 'edit', args: { text: 'ONE' } })
    expect(statusOf(dir, second!).decision).toMatchObject({ type: 'reject', message: 'Not now.' })
    expect(statusOf(dir, third!).decision).toMatchObject({ type: 'respond', message: 'Done by hand.' })
    expect(plain(await inbox.shows('Nothing waits', inbox.type('l\r')))).toContain('Nothing waits for a decision')
  })

  it('tells of new requests while it waits, under numbers of their own', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'one' }])
    const inbox = await atInbox(dir)
    const from = inbox.output.length
    await seed(dir, [{ text: 'two' }], 't/new')
    expect(plain(await inbox.shows('text "two"', from))).toMatch(/new +2 +send {2}text "two"/)
    await inbox.shows('t/new/0', inbox.type('2\r'))
  })

  it('takes the prompt away when somebody else decides, and says who', async () => {
    const dir = tempDir()
    const [id] = await seed(dir, [{ text: 'one' }])
    const inbox = await atInbox(dir)
    const from = inbox.type('1\r')
    await inbox.shows(CARD, from)
    const store = sqliteStore({ path: storePath(dir) })
    await openDesk({ store }).decide({ id: id!, decision: { type: 'reject' }, by: 'bob' })
    await store.close()
    expect(plain(await inbox.shows('It was rejected by bob meanwhile.', from))).not.toContain('Approved')
    await inbox.shows('Type the number of a request', inbox.type('a\r'))
  })

  it('shows control characters by their names, wherever they are', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: '\u001b[2Jgone\u202e\u0007', '\u001bkey': 1 }])
    const inbox = await atInbox(dir)
    await inbox.shows(CARD, inbox.type('1\r'))
    expect(plain(inbox.output)).toContain('‹U+001B›[2Jgone‹RLO›‹U+0007›')
    for (const character of ['\u202e', '\u0007', '\u001b[2J']) expect(inbox.output).not.toContain(character)
  })

  it('ends with Ctrl-C and with the end of input, and leaves everything open', async () => {
    const dir = tempDir()
    const [id] = await seed(dir, [{ text: 'one' }])
    const interrupted = await atInbox(dir)
    interrupted.type('\u0003')
    expect(await interrupted.ended).toBe(130)
    const closed = await atInbox(dir)
    await closed.shows(CARD, closed.type('1\r'))
    closed.type('\u0004')
    expect(await closed.ended).toBe(0)
    expect(statusOf(dir, id!).status).toBe('open')
  })
})

describe('the inbox without a terminal', () => {
  it('prints the list, as people and as programs read it', async () => {
    const dir = tempDir()
    const [id] = await seed(dir, [{ text: 'one' }])
    expect(holdpoint(dir, ['inbox']).stdout).toContain(id)
    expect(JSON.parse(holdpoint(dir, ['inbox', 'list', '--json']).stdout).requests).toMatchObject([{ id }])
    expect(holdpoint(dir, ['inbox', 'show', id!]).stdout).toContain('"one"')
  })

  it.each([
    [['inbox', 'shwo'], "not 'shwo'"],
    [['inbox', 'show'], 'needs ID'],
    [['inbox', 'watch', 'x'], "does not take 'x'"],
  ])('%j is wrong usage', (args, problem) => {
    const { code, stderr } = holdpoint(tempDir(), args)
    expect(stderr).toContain(problem)
    expect(code).toBe(2)
  })

  it('watch prints a line of JSON for each event until it is ended', async () => {
    const dir = tempDir()
    await seed(dir, [{ text: 'one' }])
    const watch = start(dir, ['inbox', 'watch', '--json'])
    // The first line shows that it listens: until then events are not its business.
    const [id] = await seedUntilSeen(watch, dir)
    const decided = watch.output.length
    expect(holdpoint(dir, ['reject', id!, '--as', 'bob']).code).toBe(0)
    const lines = (await watch.shows('"decided"', decided)).trim().split('\n')
    expect(JSON.parse(lines[0]!)).toMatchObject({
      type: 'request',
      what: 'decided',
      id,
      request: { status: 'decided', decision: { type: 'reject', by: { id: 'bob' } } },
    })
    watch.child.kill('SIGINT')
    expect(await watch.ended).toBe(130)
  })
})

/** Adds requests until one of them is told. */
async function seedUntilSeen(watch: Running, dir: string): Promise<string[]> {
  for (let count = 0; ; count++) {
    const ids = await seed(dir, [{ text: `two\u202e${count}` }], `t/w${count}`)
    const seen = await Promise.race([
      watch.shows(ids[0]!).then(() => true),
      new Promise<false>((resolve) => setTimeout(() => resolve(false), 3000)),
    ])
    if (!seen) continue
    expect(watch.output).toContain('\\u202e')
    expect(watch.output).not.toContain('\u202e')
    return ids
  }
}
