import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listFiles } from '../../scripts/lib/files.js'
import { ROOT } from '../../scripts/lib/root.js'

// They reach into dist/ by path, where no compiler looks before it is built.
it('programs of tests and benches load only files that the build has', () => {
  const programs = listFiles(ROOT).filter((path) => /^(?:test|bench)\/.*\.js$/.test(path))
  const loaded = programs.flatMap((program) =>
    [...readFileSync(join(ROOT, program), 'utf8').matchAll(/dist\/[\w/-]+\.js/g)].map(
      ([file]) => `${program}: ${file}`,
    ),
  )
  expect(loaded.length).toBeGreaterThan(10)
  expect(loaded.filter((each) => !existsSync(join(ROOT, each.split(': ')[1]!)))).toEqual([])
})
