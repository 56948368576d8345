import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { TSC } from '../../scripts/lib/tsc.js'
import { commandGroups } from '../../src/cli/commands/index.ts'
import { RunState } from '../../src/index.ts'
import { type DecisionType, decisionTypes } from '../../src/protocol/decision.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** A problem that the compiler found: where, and which. */
interface Problem {
  file: string
  line: number
  code: string
}

/** Compiles a copy of `src` in which the union of decisions is another one. */
async function problemsWith(change: (source: string) => string): Promise<Problem[]> {
  const place = await mkdtemp(join(tmpdir(), 'holdpoint-decisions-'))
  try {
    await cp(join(ROOT, 'src'), join(place, 'src'), { recursive: true })
    await symlink(join(ROOT, 'node_modules'), join(place, 'node_modules'))
    for (const name of ['tsconfig.base.json', 'package.json']) await cp(join(ROOT, name), join(place, name))
    const config = { extends: './tsconfig.base.json', compilerOptions: { noEmit: true }, include: ['src'] }
    await writeFile(join(place, 'tsconfig.json'), JSON.stringify({ ...config, exclude: ['src/**/*.test.ts'] }))
    const file = join(place, 'src/protocol/decision.ts')
    const source = await readFile(file, 'utf8')
    const changed = change(source)
    expect(changed).not.toBe(source)
    await writeFile(file, changed)
    return await compile(place)
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

function compile(place: string): Promise<Problem[]> {
  return new Promise((done, failed) => {
    execFile(process.execPath, [...TSC, '-p', '.'], { cwd: place, timeout: 200_000, maxBuffer: 1e8 }, (error, out) => {
      // The compiler exits with a code if it finds problems. Ended from outside it found nothing.
      if (error?.signal || typeof error?.code === 'string') return failed(error)
      const lines = [...out.matchAll(/^(\S+?)\((\d+),\d+\): error (TS\d+)/gm)]
      done(lines.map(([, file = '', line = '', code = '']) => ({ file, line: Number(line), code })))
    })
  })
}

/** Every place that compares a decision's type with one of its names no longer compiles. */
const renamed = (source: string) =>
  decisionTypes.reduce<string>(
    (text, type) => text.replaceAll(`'${type}'`, `'${type}_'`),
    source.slice(0, source.indexOf('/** The decision, if')),
  ) + source.slice(source.indexOf('/** The decision, if'))

/** One more kind of decision. */
const extended = (source: string) =>
  source
    .replace('] as const', ", 'one-more'] as const")
    .replace(
      /( +)z\.strictObject\(\{ type: z\.literal\('approve'\) \}\),/,
      "$&\n$1z.strictObject({ type: z.literal('one-more') }),",
    )

/** The lines of the switch that a `case` belongs to: up to its own closing brace. */
function switchAround(lines: readonly string[], at: number): [number, number] {
  const indent = (line = ''): number => line.length - line.trimStart().length
  const depth = indent(lines[at - 1])
  let first = at
  while (first > 1 && !(indent(lines[first - 1]) < depth && lines[first - 1]?.includes('switch ('))) first--
  let last = at
  while (last < lines.length && indent(lines[last - 1]) !== indent(lines[first - 1])) last++
  return [first, last]
}

describe('a new kind of decision cannot fail open', () => {
  let compared: Problem[]
  let missed: Problem[]

  beforeAll(async () => {
    compared = (await problemsWith(renamed)).filter(({ code }) => code === 'TS2367' || code === 'TS2678')
    missed = await problemsWith(extended)
  }, 420_000)

  test('decisions are distinguished only by switches', () => {
    expect(compared.filter(({ code }) => code === 'TS2367')).toEqual([])
  })

  test('every switch over decisions is a compile error when there is one more kind', async () => {
    const cases = compared.filter(({ code }) => code === 'TS2678')
    const files = new Set(cases.map(({ file }) => file))
    // The places that act on decisions today; more may come.
    for (const file of [
      'core/next.ts',
      'core/fold/fold-calls.ts',
      'core/fold/fold-requests.ts',
      'core/plan/decide.ts',
    ]) {
      expect(files).toContain(`src/${file}`)
    }
    for (const file of files) {
      const lines = (await readFile(join(ROOT, file), 'utf8')).split('\n')
      for (const { line } of cases.filter((one) => one.file === file)) {
        const [first, last] = switchAround(lines, line)
        const told = missed.filter((one) => one.file === file && one.line >= first && one.line <= last)
        expect(told, `${file}:${line} does not mind a decision that it does not know`).not.toEqual([])
      }
    }
  })

  test('so is every table by kind of decision', () => {
    const tables = missed.filter(({ code }) => code === 'TS2741').map(({ file }) => file)
    expect(tables).toContain('src/core/outcome.ts')
    expect(tables).toContain('src/protocol/grant.ts')
    expect(tables).toContain('src/desk/answer/check.ts')
    expect(tables).toContain('src/core/plan/accepted-decisions.ts')
  })

  test('every kind is decided by a method of RunState and by a command', () => {
    const methods: Record<DecisionType, unknown> = RunState.prototype
    const commands = commandGroups.flatMap((group) => group.commands.map(({ name }) => name))
    for (const type of decisionTypes) {
      expect(methods[type], `RunState.${type}`).toBeTypeOf('function')
      expect(commands).toContain(type)
    }
  })
})
