import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { holdpoint, Running } from './programs.ts'

const PROGRAM = fileURLToPath(new URL('./gateway-process.js', import.meta.url))
const SECRET = 'a secret of the tests, which is long enough'

/** A gateway in a process of its own, over the store of a folder. */
export interface GatewayProcess {
  url: string
  /** The environment of a person who works there. */
  env(sub: string, ...roles: string[]): Record<string, string>
  running: Running
}

export async function startGateway(
  dir: string,
  { port = 0, undoSeconds = 0 }: { port?: number; undoSeconds?: number } = {},
): Promise<GatewayProcess> {
  const options = { PORT: String(port), UNDO_SECONDS: String(undoSeconds) }
  const env = { ...process.env, HOLDPOINT_JWT_SECRET: SECRET, ...options }
  const running = new Running(spawn(process.execPath, [PROGRAM], { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] }))
  const [url = ''] = /http:\S+/.exec(await running.shows(/http:\S+\n/)) ?? []
  return {
    url,
    running,
    env(sub, ...roles) {
      const given = roles.flatMap((role) => ['--role', role])
      const { stdout } = holdpoint(dir, ['token', '--sub', sub, ...given], { HOLDPOINT_JWT_SECRET: SECRET })
      return { HOLDPOINT_URL: url, HOLDPOINT_TOKEN: stdout.trim() }
    },
  }
}
