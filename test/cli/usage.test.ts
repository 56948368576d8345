import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { commandGroups } from '../../src/cli/commands/index.ts'
import { Agent, run, tool } from '../../src/index.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { scriptedModel } from '../../src/testing.ts'
import { holdpoint, MAIN, startInTerminal, tempDir } from './support/programs.ts'
import { seed, storePath, tamper } from './support/store.ts'

const commands = commandGroups.flatMap((group) => group.commands)
const tooLong = (text: string, columns: number) => text.split('\n').filter((line) => line.length > columns)

describe('the command line', () => {
  it('is executable by itself', () => {
    expect(readFileSync(MAIN, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })

  const names = ['demo', 'requests', 'show', 'approve', 'edit', 'reject', 'respond', 'audit verify']

  it('explains itself and says its version', () => {
    const dir = tempDir()
    const help = holdpoint(dir, ['--help'])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const name of names) expect(help.stdout).toContain(`  ${name}`)
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(holdpoint(dir, ['--version']).stdout).toBe(`${version}\n`)
  })

  it('sends a person who used a command wrongly to the page of that command', () => {
    const dir = tempDir()
    const told = (...args: string[]) => holdpoint(dir, args).stderr.trim().split('\n').at(-1)
    expect(told('gate', 'install', 'claud')).toBe("Run 'holdpoint gate install --help' for its options.")
    expect(told('approve')).toBe("Run 'holdpoint approve --help' for its options.")
    expect(told('aprove')).toBe("Run 'holdpoint --help' for the list of commands.")
  })

  it.each(names)('explains %s', (name) => {
    const dir = tempDir()
    const own = holdpoint(dir, [...name.split(' '), '--help'])
    expect(own).toMatchObject({ code: 0, stderr: '' })
    expect(own.stdout).toContain(`usage: holdpoint ${name}`)
    expect(own.stdout).toContain('--store PLACE')
    expect(holdpoint(dir, ['help', ...name.split(' ')]).stdout).toBe(own.stdout)
  })

  it.each(commands.map(({ name }) => name))(
    'the help of %s fits into 80 columns where the width is unknown',
    (name) => {
      const { stdout } = holdpoint(tempDir(), [...name.split(' '), '--help'])
      expect(tooLong(stdout, 80)).toEqual([])
    },
  )

  it.each(commands.map((command) => [command.name, command] as const))(
    'the help of %s has every word of its description',
    (name, { about = '' }) => {
      const { stdout } = holdpoint(tempDir(), [...name.split(' '), '--help'])
      expect(stdout.replace(/\s+/g, ' ')).toContain(about.replace(/\s+/g, ' '))
    },
  )

  it.each([60, 80, 120])('help fills, and fits into a terminal of %i columns', async (columns) => {
    for (const args of [['--help'], ['approve', '--help']]) {
      const shown = startInTerminal(tempDir(), args, {}, columns)
      expect(await shown.ended).toBe(0)
      const lines = stripVTControlCharacters(shown.output).replaceAll('\r', '')
      expect(tooLong(lines, columns).filter((line) => !line.startsWith('  holdpoint '))).toEqual([])
      expect(tooLong(lines, Math.round(columns * 0.7)).length).toBeGreaterThan(0)
    }
  })

  it('lists every command with a summary on one line of 80 columns', () => {
    const { stdout } = holdpoint(tempDir(), ['--help'])
    for (const { summary } of commands) expect(stdout).toContain(`  ${summary}\n`)
  })

  it.each(commands.map((command) => [command.name, command] as const))(
    'the reference has a row for %s, and names each of its options',
    (name, { options }) => {
      const page = readFileSync(new URL('../../docs/reference/cli.md', import.meta.url), 'utf8')
      expect(page).toMatch(new RegExp(`^\\| \`${name}[ \`]`, 'm'))
      expect(Object.keys(options).filter((option) => !page.includes(`--${option}`))).toEqual([])
    },
  )

  it('offers no option about a store to commands that open none, and takes none', () => {
    const dir = tempDir()
    expect(holdpoint(dir, ['token', '--help']).stdout).not.toContain('--store')
    expect(holdpoint(dir, ['token', '--store', 'x.db'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Unknown option '--store'"),
    })
  })

  it.each([
    ['audit', ['audit verify']],
    ['policy', ['policy test']],
  ])('lists the commands that begin with %s', (word, expected) => {
    const dir = tempDir()
    const own = holdpoint(dir, [word, '--help'])
    expect(own).toMatchObject({ code: 0, stderr: '' })
    for (const name of expected) expect(own.stdout).toMatch(new RegExp(`^  ${name}  \\S`, 'm'))
    expect(own.stdout).not.toContain('approve')
    expect(holdpoint(dir, ['help', word]).stdout).toBe(own.stdout)
  })

  it.each([
    ['no command', [], 'usage: holdpoint COMMAND'],
    ['an unknown command', ['frobnicate'], "there is no command 'frobnicate'"],
    ['half a command', ['audit'], 'holdpoint audit verify'],
    ['an unknown option', ['requests', '--frob'], "Unknown option '--frob'"],
    ['a missing id', ['approve'], 'approve needs ID'],
    ['a word too many', ['approve', 'a', 'b'], "does not take 'b'"],
    ['a missing value', ['requests', '--limit'], '--limit'],
    ['a wrong status', ['requests', '--status', 'maybe'], '--status must be one of'],
    ['a wrong limit', ['requests', '--limit', '0'], '--limit must be an integer'],
    ['nothing to respond', ['respond', 'abcd'], 'needs --message'],
    ['an edit that says nothing', ['edit', 'abcd'], 'edit needs --args JSON or --set FIELD=VALUE'],
    ['an edit that says too much', ['edit', 'abcd', '--args', '{}', '--set', 'a=1'], 'not both'],
  ])('refuses %s with exit code 2', (_, args, message) => {
    const dir = tempDir()
    const done = holdpoint(dir, args)
    expect(done).toMatchObject({ code: 2, stdout: '' })
    expect(done.stderr).toContain(message)
    expect(done.stderr).not.toContain('    at ')
    expect(existsSync(join(dir, '.holdpoint'))).toBe(false)
  })

  it.each([
    ['requests', ['requests']],
    ['show', ['show', 'abcd']],
    ['approve', ['approve', 'abcd']],
    ['audit verify', ['audit', 'verify']],
  ])('%s says that there is no store, how to name one, and makes none', (_, args) => {
    const dir = tempDir()
    const done = holdpoint(dir, args)
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(done.stderr).toMatch(
      /^error: There is no store at .*holdpoint\.db\. .*--store PLACE or HOLDPOINT_STORE\. \[store_missing\]\n$/,
    )
    expect(existsSync(join(dir, '.holdpoint'))).toBe(false)
  })

  it('leaves a file alone that is no store', () => {
    const dir = tempDir()
    const file = join(dir, 'notes.txt')
    writeFileSync(file, 'These are my notes, and they are long enough to look like something.'.repeat(100))
    const before = readFileSync(file)
    const done = holdpoint(dir, ['requests', '--store', 'notes.txt'])
    expect(done.code).toBe(1)
    expect(done.stderr).toMatch(/^error: .* \[store_corrupt\]\n$/)
    expect(readFileSync(file)).toEqual(before)
  })

  it.each([
    ['policy test', ['policy', 'test', 'nope.mjs'], 'policy_unreadable'],
    ['pending', ['pending', '--against', 'nope.mjs'], 'agents_unreadable'],
    ['audit verify', ['audit', 'verify', '--anchor', 'nope.mjs'], 'anchor_invalid'],
  ])('%s names a missing file as it was typed', async (_, args, code) => {
    const dir = tempDir()
    await seed(dir, [{ text: 'x' }])
    expect(holdpoint(dir, args)).toEqual({ code: 1, stdout: '', stderr: `error: nope.mjs: no such file. [${code}]\n` })
    expect(
      holdpoint(
        dir,
        args.map((arg) => (arg === 'nope.mjs' ? '.' : arg)),
      ).stderr,
    ).toBe(`error: . is a folder, not a file. [${code}]\n`)
  })

  it('prints a stack trace only on request', async () => {
    const dir = tempDir()
    const [id = ''] = await seed(dir, [{ text: 'x' }])
    tamper(dir, `UPDATE entries SET body = '{' WHERE body LIKE '%request.opened%'`)
    const quiet = holdpoint(dir, ['show', id])
    expect(quiet).toMatchObject({ code: 1, stdout: '' })
    expect(quiet.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(quiet.stderr).toContain('[store_corrupt]')
    expect(holdpoint(dir, ['show', id, '--debug']).stderr).toContain('    at ')
    expect(holdpoint(dir, ['show', id], { HOLDPOINT_DEBUG: '1' }).stderr).toContain('    at ')
  })

  it('prints errors as JSON with --json', () => {
    const done = holdpoint(tempDir(), ['requests', '--json'])
    expect(done.stdout).toBe('')
    expect(JSON.parse(done.stderr)).toEqual({ error: { code: 'store_missing', message: expect.any(String) } })
  })
})

describe('requests', () => {
  it('says so when nothing is pending', async () => {
    const dir = tempDir()
    const [id = ''] = await seed(dir, [{ text: 'x' }])
    holdpoint(dir, ['approve', id])
    expect(holdpoint(dir, ['requests'])).toMatchObject({ code: 0, stdout: 'Nothing waits for a decision.\n' })
  })

  it('shows the risk of each call, and none where the tool says none', async () => {
    const dir = tempDir()
    const store = sqliteStore({ path: storePath(dir) })
    const risks = [['wipe', 'high'], ['send', 'low'], ['look']] as const
    const tools = risks.map(([name, risk]) =>
      tool({
        name,
        description: name,
        parameters: z.object({}),
        needsApproval: true,
        execute: () => 'ok',
        ...(risk ? { risk } : {}),
      }),
    )
    const toolCalls = risks.map(([name]) => ({ id: name, name, args: {} }))
    await run(new Agent({ name: 'ops', model: scriptedModel([{ toolCalls }]), tools }), 'Go.', { store })
    await store.close()
    const { stdout } = holdpoint(dir, ['requests'])
    expect(stdout).toMatch(/ {2}risk high, open\n {2}wipe\n {2}asked by ops/)
    expect(stdout).toMatch(/ {2}risk low, open\n {2}send\n {2}asked by ops/)
    expect(stdout).toMatch(/ {2}open\n {2}look\n {2}asked by ops/)
  })

  it('filters by status, thread and tool, and stops at a limit', async () => {
    const dir = tempDir()
    const ids = await seed(dir, [{ text: 'a' }, { text: 'b' }, { text: 'c' }])
    holdpoint(dir, ['approve', ids[0] ?? ''])
    const list = (...args: string[]) =>
      (
        JSON.parse(holdpoint(dir, ['requests', '--json', ...args]).stdout) as { requests: { id: string }[] }
      ).requests.map((request) => request.id)
    expect(list()).toEqual([ids[2], ids[1]])
    expect(list('--status', 'all')).toEqual([ids[2], ids[1], ids[0]])
    expect(list('--status', 'decided')).toEqual([ids[0]])
    expect(list('--thread', 't/1')).toEqual([ids[1]])
    expect(list('--tool', 'other')).toEqual([])
    expect(list('--limit', '1')).toEqual([ids[2]])
    expect(holdpoint(dir, ['requests', '--limit', '1']).stdout).toContain('There are more')
    expect(holdpoint(dir, ['--store', '.holdpoint/holdpoint.db', 'requests']).stdout).toContain(ids[1])
  })
})
