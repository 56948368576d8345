import { setTimeout as sleep } from 'node:timers/promises'
import { type GateAnswer, gateAnswer } from '../../protocol/api/gate.ts'
import type { HookCall, HookGate } from './hook.ts'

/** How long one request to the gateway waits. Proxies cut longer ones off. */
const POLL_SECONDS = 25
const ANSWER_MS = 15_000
const PAUSE_MS = 1_000

/** The gateway does not answer, or is overloaded. */
class Unavailable extends Error {}

/** The gate of a gateway. The credential can open requests and decide none. */
export function gatewayGate({ url, token, source }: { url: string; token: string; source: string }): HookGate {
  const post = async (path: string, body: object, timeoutMs = ANSWER_MS): Promise<unknown> => {
    const response = await fetch(`${url.replace(/\/$/, '')}/v1/gate/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ source, ...body }),
      // The token is for this gateway alone.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw new Unavailable(`the gateway at ${url} does not answer`, { cause: error })
    })
    if (response.ok) return response.status === 204 ? undefined : response.json()
    const { detail = '' } = (await response.json().catch(() => ({}))) as { detail?: string }
    const problem = `the gateway answered with ${response.status}: ${detail}`
    throw response.status === 429 || response.status >= 500 ? new Unavailable(problem) : new Error(problem)
  }
  const ask = async (path: string, body: object, timeoutMs?: number): Promise<GateAnswer> =>
    gateAnswer.parse(await post(path, body, timeoutMs))
  return {
    judge: (call) => ask('judge', { call }),
    spend: (call) => ask('spend', { call }),
    finished: async (call, end) => void (await post('finished', { call, end })),
    wait: (call, options) => waitAt(ask, call, options),
  }
}

/** Waits in short requests. A gateway that is restarted meanwhile costs nothing: the request is in its store. */
async function waitAt(
  ask: (path: string, body: object, timeoutMs?: number) => Promise<GateAnswer>,
  call: HookCall,
  { timeoutSeconds, signal }: Parameters<HookGate['wait']>[1],
): Promise<GateAnswer> {
  const end = performance.now() + timeoutSeconds * 1000
  for (;;) {
    signal.throwIfAborted()
    const left = Math.max(0, end - performance.now()) / 1000
    const seconds = Math.min(left, POLL_SECONDS)
    try {
      const state = await ask('wait', { call, timeoutSeconds: seconds }, seconds * 1000 + ANSWER_MS)
      if (state.status !== 'held' || left <= seconds) return state
    } catch (error) {
      if (!(error instanceof Unavailable) || performance.now() >= end) throw error
      await sleep(PAUSE_MS, undefined, { signal })
    }
  }
}
