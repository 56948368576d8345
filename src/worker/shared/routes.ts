import type { WakeMark } from '../../ports/wake.ts'
import { wellFormed } from '../../protocol/json/json.ts'

/**
 * Names the workers that can drive a run: those that have this version of its agent. An agent without a version has a route of its own. Agents and
 * versions may be any strings, so both are encoded. Never throws: a name with lone surrogates must not stop the work on other threads.
 */
export function routeOf(agent: string, version: string | null | undefined): string {
  const name = encodeURIComponent(wellFormed(agent))
  return version === null || version === undefined ? name : `${name}@${encodeURIComponent(wellFormed(version))}`
}

/** The route of a thread's latest run. `undefined`: the thread has had none. */
export function routeOfMark({ agent, agentVersion }: Pick<WakeMark, 'agent' | 'agentVersion'>): string | undefined {
  return agent === null ? undefined : routeOf(agent, agentVersion)
}

/** The versions of an agent that some routes are of, in order. `null`: the agent without a version. */
export function versionsIn(routes: Iterable<string>, agent: string): (string | null)[] {
  const bare = routeOf(agent, null)
  // Neither part of a route has an @ of its own.
  const parts = [...routes].map((route) => route.split('@')).filter(([name]) => name === bare)
  return parts
    .map(([, version]) => (version === undefined ? null : decodeURIComponent(version)))
    .sort((a, b) => (a ?? '').localeCompare(b ?? '', 'en', { numeric: true }))
}

/** Words a route for people. */
export function tellRoute(agent: string, version: string | null | undefined): string {
  return version === null || version === undefined ? `agent "${agent}"` : `agent "${agent}", version "${version}"`
}
