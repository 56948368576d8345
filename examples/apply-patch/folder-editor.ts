import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { PatchEditor } from 'holdpoint'
import { applyDiff } from './apply-diff.ts'

/** Changes files in one folder and nowhere else. */
export function folderEditor(folder: string): PatchEditor {
  const root = realpathSync(folder)
  const place = (path: string): string => {
    const target = resolve(root, path)
    // A symlink inside the folder may lead out of it, so resolve the part of the path that exists.
    let known = dirname(target)
    while (!existsSync(known)) known = dirname(known)
    const real = join(realpathSync(known), relative(known, target))
    if (!real.startsWith(root + sep)) throw new Error(`${path} is outside the folder`)
    mkdirSync(dirname(real), { recursive: true })
    return real
  }
  return {
    createFile({ path, diff }) {
      // 'wx' refuses to replace a file or to follow a symlink.
      writeFileSync(place(path), applyDiff('', diff).replace(/\n?$/, '\n'), { flag: 'wx' })
      return { output: `created ${path}` }
    },
    updateFile({ path, diff }) {
      const file = place(path)
      if (realpathSync(file) !== file) throw new Error(`${path} is a link`)
      writeFileSync(file, applyDiff(readFileSync(file, 'utf8'), diff))
      return { output: `updated ${path}` }
    },
    deleteFile({ path }) {
      rmSync(place(path))
      return { output: `deleted ${path}` }
    },
  }
}
