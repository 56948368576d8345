import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { PROGRAMS, requireProgram } from '../../../scripts/lib/programs.js'
import { ownFolder } from '../own-folder.js'
import { freePort } from './free-port.ts'

/** A real Redis server of a test's own. */
export interface RedisServer {
  readonly url: string
  readonly port: number
  /** The folder that it keeps its data in. */
  readonly folder: string
  /** Starts it again after {@link stop} or {@link crash}, with the same data and port. */
  start(): Promise<void>
  /** Ends it in order. */
  stop(): Promise<void>
  /** Ends it as a power cut of the program would. */
  crash(): Promise<void>
  /** Lets it do nothing at all, connections open, until it is told to go on. */
  freeze(frozen: boolean): void
  /** Stops it and takes its data away. */
  remove(): Promise<void>
}

/** How a server is run. */
export interface RedisServerOptions {
  /** Arguments of `redis-server`, such as `--maxmemory`, `2mb`. */
  settings?: readonly string[]
  /** Whether what was acknowledged survives a crash. */
  durable?: boolean
  /** Default: any that is free. */
  port?: number
}

/** Starts a server in a folder of its own, on a free port of this machine. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const { settings = [], durable = false } = options
  const binary = requireProgram(PROGRAMS.redis)
  const folder = ownFolder('redis')
  const port = options.port ?? (await freePort())
  const argv = [
    ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--maxclients', '4000'],
    ...(durable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']),
    ...settings,
  ]
  let running: { pid: number; exited: Promise<unknown> } | undefined

  async function start(): Promise<void> {
    // The shell ends the server when its own input ends, which it does however this process dies.
    const script =
      'bin=$1; shift; "$bin" "$@" </dev/null & pid=$!; echo "server $pid"; (cat >/dev/null; kill -KILL $pid) <&3 3<&- & wait $pid'
    const child = spawn('sh', ['-c', `exec 3<&0; ${script}`, 'sh', binary, ...argv], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const exited = once(child, 'exit')
    let said = ''
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (text: Buffer) => {
        said += text
        if (said.includes('Ready to accept connections')) resolve()
      })
      child.once('exit', () => reject(new Error(`Redis did not start: ${said}`)))
    })
    running = { pid: Number(/server (\d+)/.exec(said)?.[1]), exited }
    child.stdout.removeAllListeners('data').resume()
    child.unref()
    for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref(): void }).unref()
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!running) return
    const { pid, exited } = running
    running = undefined
    process.kill(pid, 'SIGCONT')
    process.kill(pid, signal)
    await exited
  }

  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    folder,
    start,
    stop: () => end('SIGTERM'),
    crash: () => end('SIGKILL'),
    freeze(frozen) {
      if (running) process.kill(running.pid, frozen ? 'SIGSTOP' : 'SIGCONT')
    },
    async remove() {
      // One that cannot save would refuse to end in order.
      await end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
