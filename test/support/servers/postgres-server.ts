import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PROGRAMS, requireProgram } from '../../../scripts/lib/programs.js'
import { ownFolder } from '../own-folder.js'
import { freePort } from './free-port.ts'

/** A real Postgres server of a test's own. */
export interface PostgresServer {
  readonly connectionString: string
  readonly port: number
  /** Starts it again after {@link stop} or {@link crash}, with the same data and port. */
  start(): Promise<void>
  /** Ends all connections and the server. */
  stop(): Promise<void>
  /** Ends it as a power cut of the program would: at once, to recover at the next start. */
  crash(): Promise<void>
  /** Stops it and takes its data away. */
  remove(): Promise<void>
}

/** How a server is run. */
export interface ServerOptions {
  /** Lines of configuration, as `name=value`. */
  settings?: readonly string[]
  encoding?: string
}

/** Makes a database cluster in a folder of its own and starts it on a free port of this machine. */
export async function startPostgres({ settings = [], encoding = 'UTF8' }: ServerOptions = {}): Promise<PostgresServer> {
  const bin = requireProgram(PROGRAMS.postgres)
  const user = runAs()
  const folder = serverFolder(user)
  const data = join(folder, 'data')
  // As the user of the server, who has to own all of it.
  execFileSync('cp', ['-R', clusterOf(encoding), data], { stdio: 'pipe', ...user })
  const port = await freePort()
  let running: { exited: Promise<unknown> } | undefined

  async function start(): Promise<void> {
    const argv = ['-D', data, '-p', `${port}`, ...options(folder, settings)]
    // The shell ends the server when its own input ends, which it does however this process dies.
    const script =
      'bin=$1; shift; "$bin" "$@" </dev/null & pid=$!; (cat >/dev/null; kill -INT $pid) <&3 3<&- & wait $pid'
    const child = spawn('sh', ['-c', `exec 3<&0; ${script}`, 'sh', join(bin, 'postgres'), ...argv], {
      cwd: folder,
      stdio: ['pipe', 'ignore', 'pipe'],
      ...user,
    })
    running = { exited: once(child, 'exit') }
    let said = ''
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (text: Buffer) => {
        said += text
        if (said.includes('ready to accept connections')) resolve()
      })
      child.once('exit', () => reject(new Error(`Postgres did not start: ${said}`)))
    })
    child.stderr.removeAllListeners('data').resume()
    child.unref()
    for (const stream of [child.stdin, child.stderr]) (stream as unknown as { unref(): void }).unref()
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!running) return
    const { exited } = running
    running = undefined
    process.kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), signal)
    await exited
  }

  await start()
  return {
    connectionString: `postgres://postgres:not-a-secret-but@127.0.0.1:${port}/postgres`,
    port,
    start,
    stop: () => end('SIGINT'),
    crash: () => end('SIGQUIT'),
    async remove() {
      // At once: a checkpoint of what is thrown away takes as long as hundreds of schemas are large.
      await end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const clusters = new Map<string, string>()

/** The data of a new cluster, which servers copy: making them takes most of a second. */
function clusterOf(encoding: string): string {
  const made = clusters.get(encoding)
  if (made !== undefined) return made
  const user = runAs()
  const folder = serverFolder(user)
  const data = join(folder, 'data')
  const locale = encoding === 'UTF8' ? 'C.UTF-8' : 'C'
  const init = ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', encoding, `--locale=${locale}`]
  execFileSync(join(requireProgram(PROGRAMS.postgres), 'initdb'), init, { cwd: folder, stdio: 'pipe', ...user })
  clusters.set(encoding, data)
  return data
}

/** A folder that Postgres may use, gone when this process is. */
function serverFolder(user: { uid: number; gid: number } | undefined): string {
  const folder = ownFolder('pg')
  chmodSync(folder, 0o700)
  if (user) chownSync(folder, user.uid, user.gid)
  return folder
}

/** What is written reaches the system at each commit, which survives any kill; only a power cut would need syncing. */
function options(folder: string, settings: readonly string[]): string[] {
  const all = [
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'shared_buffers=32MB',
    'max_connections=200',
    'fsync=off',
    ...settings,
  ]
  return all.flatMap((setting) => ['-c', setting])
}

/** Postgres refuses to run as root. */
function runAs(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
