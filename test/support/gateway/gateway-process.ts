import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.js'

/** A gateway in a process of its own, on the store at an address. It is killed when the test is over. Bearer tokens are "NAME:ROLE". */
export async function gatewayProcess(address: string): Promise<{ url: string; kill(): Promise<void> }> {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(ROOT, 'test/support/gateway/gateway-process.js'), address],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(kill)
  const [url] = (await once(createInterface(child.stdout!), 'line')) as [string]
  return { url, kill }
}
