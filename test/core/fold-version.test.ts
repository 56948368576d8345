import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cutChunks, NO_CHUNKS } from '../../src/core/fold/chunks.ts'
import { apply } from '../../src/core/fold/fold.ts'
import { FOLD, takeSnapshot } from '../../src/core/fold/snapshot.ts'
import { emptyState } from '../../src/core/state.ts'
import { type Entry, entry } from '../../src/protocol/entries/entry.ts'
import { foldStories } from './fold-stories.ts'

const here = new URL('.', import.meta.url)

/** A snapshot after each entry, and all that is in chunks by then. */
function snapshotsOf(entries: readonly Entry[]): string[] {
  const state = emptyState('default', 't')
  let mark = NO_CHUNKS
  let chunks = ''
  return entries.map((each, index) => {
    apply(state, each, 1_000 + index)
    const cut = cutChunks(state.messages, mark)
    mark = cut.mark
    chunks += cut.bodies.join('')
    return `${takeSnapshot(state, mark)}\n${chunks}`
  })
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** The declarations of the state, without comments and spaces. */
function declarations(): string {
  const text = readFileSync(new URL('../../src/core/state.ts', import.meta.url), 'utf8')
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').replace(/\s+/g, ' ')
}

test('the stories have every kind of entry', () => {
  const known = entry().options.map(({ shape }) => shape.type.value)
  const told = Object.values(foldStories).flatMap((entries) => entries.map(({ type }) => type))
  expect([...new Set(told)].sort()).toEqual([...known].sort())
})

// Builds of the same FOLD read each other's snapshots. If this fails, raise FOLD in src/core/fold/snapshot.ts, remove the record of the version before, and run
// it again: it records the new version. Never update a record in place.
test('what is folded and how it is kept changes only with FOLD', async () => {
  const stories = Object.entries(foldStories).map(([name, entries]) => {
    const snapshots = snapshotsOf(entries)
    const [end = ''] = snapshots.at(-1)?.split('\n') ?? []
    return [name, { all: digest(snapshots.join('\n')), end: JSON.parse(end) }]
  })
  const record = { declarations: digest(declarations()), ...Object.fromEntries(stories) }
  const file = new URL(`fold-${FOLD}.snap`, here)
  await expect(`${JSON.stringify(record, null, 1)}\n`).toMatchFileSnapshot(file.pathname)
})

test('no other version of the fold is on record', () => {
  const others = readdirSync(here).filter((name) => name.endsWith('.snap') && name !== `fold-${FOLD}.snap`)
  expect(others).toEqual([])
})
