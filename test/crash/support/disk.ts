import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk whose power can be cut: what was written and not synced is lost. */
export interface Disk {
  /** Where its files are. */
  readonly folder: string
  /** The disk as it would be found after a power cut at this moment. What is written to this one afterwards is not on it. */
  cutPower(): Disk
}

/** Why there are no such disks here, or `undefined` where there are. */
export function whyNoDisks(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'only root of a Linux system can mount a disk image'
  try {
    onDisks(() => undefined)
    return undefined
  } catch (error) {
    return `disk images cannot be mounted here: ${String(error)}`
  }
}

/** Works with a fresh disk. It is gone afterwards, with all that came of cutting its power, also if the process ends before. */
export function onDisks<T>(work: (disk: Disk) => T): T {
  const root = mkdtempSync(join(tmpdir(), 'holdpoint-disk-'))
  const mounted: string[] = []
  let count = 0

  function mount(image: string): Disk {
    const folder = join(root, `mounted-${++count}`)
    mkdirSync(folder)
    // Nothing but a sync is to write to the image: not the file system's own commit every five seconds.
    call('mount', '-o', 'loop,commit=300', image, folder)
    mounted.push(folder)
    return {
      folder,
      cutPower() {
        const copy = join(root, `after-${count + 1}`)
        call('cp', '--sparse=always', image, copy)
        return mount(copy)
      },
    }
  }

  function remove(): void {
    for (const folder of mounted.splice(0)) call('umount', '-l', folder)
    rmSync(root, { recursive: true, force: true })
  }

  process.once('exit', remove)
  const done = () => {
    process.off('exit', remove)
    remove()
  }
  let result: T
  try {
    const image = join(root, 'image')
    writeFileSync(image, '')
    truncateSync(image, 32 * 1024 * 1024)
    call('mkfs.ext4', '-q', '-F', image)
    result = work(mount(image))
  } catch (error) {
    done()
    throw error
  }
  if (result instanceof Promise) return result.finally(done) as T
  done()
  return result
}

function call(program: string, ...args: string[]): void {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` }
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000, env })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr.trim()}`)
}
