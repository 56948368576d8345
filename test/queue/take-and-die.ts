import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const TAKER = fileURLToPath(new URL('taker.js', import.meta.url))

/** Lets a process take a wake-up of a route, and kills it inside of its handler. */
export async function takeAndDie(engine: 'bullmq' | 'postgres', route: string, options: object): Promise<void> {
  const child = spawn(process.execPath, [TAKER, engine, route, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let said = ''
  child.stderr.on('data', (text: Buffer) => {
    said += text
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
  try {
    const taken = await Promise.race([once(child.stdout, 'data').then(() => true), exited.then(() => false)])
    if (!taken) throw new Error(`the taker got nothing: ${said}`)
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
    await exited
  }
}
