import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.js'
import type { GatewayOptions } from '../../../src/gateway.ts'

/** A gateway in a process of its own. */
export interface GatewayProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Resolves when the process has ended. */
  readonly gone: Promise<unknown>
  kill(): Promise<void>
  /** It kills itself when its store next reaches this crash point. */
  killAt(point: string): Promise<void>
}

type Options = Pick<GatewayOptions, 'undoSeconds' | 'webhooks'> & { storeTimeoutMs?: number }

/**
 * A gateway in a process of its own, on the store at an address. It is killed when the test is over, or when `whenOver` says. Bearer tokens are
 * "NAME:ROLE" or "NAME:ROLE:TENANT".
 */
export async function gatewayProcess(
  address: string,
  options: Options = {},
  whenOver: (kill: () => Promise<void>) => void = onTestFinished,
): Promise<GatewayProcess> {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(ROOT, 'test/support/gateway/gateway-process.js'), address, JSON.stringify(options)],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  )
  const gone = once(child, 'exit')
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await gone
  }
  whenOver(kill)
  const [url] = (await once(createInterface(child.stdout!), 'line')) as [string]
  return {
    url,
    child,
    gone,
    kill,
    async killAt(point) {
      const armed = once(child, 'message')
      child.send({ killAt: point })
      await armed
    },
  }
}

/** What a write to a gateway came back with. */
export interface Written<T = Record<string, unknown>> {
  status: number
  replayed: boolean
  body: T
}

/** Posts to a gateway in another process. `undefined`: no answer came, since the process died, or within `timeoutMs` if that is given. */
export async function send<T = Record<string, unknown>>(
  { url }: { url: string },
  path: string,
  { token = 'ann:operator', body, key, timeoutMs }: { token?: string; body: unknown; key?: string; timeoutMs?: number },
): Promise<Written<T> | undefined> {
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs ?? 30_000),
    })
    const replayed = response.headers.get('idempotency-replayed') === 'true'
    return { status: response.status, replayed, body: (await response.json()) as T }
  } catch (error) {
    if (error instanceof TypeError) return undefined
    if (timeoutMs !== undefined && error instanceof DOMException && error.name === 'TimeoutError') return undefined
    throw error
  }
}
