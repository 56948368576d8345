import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { isGone, newHolder } from '../../src/runtime/journal/holder.ts'

/** A lease is taken over at once only from a process that is known to be gone; a living one must never be taken for dead. */
describe('The holder of a lease', () => {
  const children: ChildProcess[] = []
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })

  it('is not gone while its process lives, here or elsewhere', async () => {
    expect(isGone(newHolder())).toBe(false)
    const child = await start('echo on; exec sleep 60')
    expect(isGone(holderOf(child.pid!))).toBe(false)
  })

  it('is gone once its process was killed', async () => {
    const child = await start('echo on; exec sleep 60')
    const holder = holderOf(child.pid!)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(isGone(holder)).toBe(true)
  })

  it('is not known to be gone from another machine', async () => {
    const child = await start('echo on; exec sleep 60')
    const holder = holderOf(child.pid!)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(isGone(`elsewhere-${holder}`)).toBe(false)
  })

  it.runIf(existsSync('/proc/self/stat'))('is gone when its process is dead but was not waited for', async () => {
    // The shell turns into a program that never asks how its child ended.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
    children.push(parent)
    const [said] = (await once(parent.stdout, 'data')) as [Buffer]
    const pid = Number(said.toString())
    const holder = holderOf(pid)
    expect(isGone(holder)).toBe(false)
    // Until then it is a shell, which does ask.
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim()).toBe('sleep')
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => isGone(holder)).toBe(true)
    expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ')
  })

  it.runIf(existsSync('/proc/self/stat'))('is gone when its process id belongs to another process now', () => {
    const [host, pid, start, nonce] = newHolder().split('|')
    expect(isGone(`${host}|${pid}|${Number(start) - 1}|${nonce}`)).toBe(true)
  })

  async function start(script: string): Promise<ChildProcess> {
    const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
    children.push(child)
    await once(child.stdout, 'data')
    return child
  }
})

/** The name that a process would give itself. */
function holderOf(pid: number): string {
  const [host, , , nonce] = newHolder().split('|')
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
  return `${host}|${pid}|${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''}|${nonce}`
}
