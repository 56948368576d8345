import type { ProxyConfig } from './proxy-config.ts'

/**
 * The doors through which calls are decided, unless a rule of the policy names some. `undefined`: any. On stdio the agent starts the proxy as its own user, so
 * a command on that machine must not decide.
 */
export function doorsOf({
  via,
  http,
  elicitation,
}: Pick<ProxyConfig, 'via' | 'http' | 'elicitation'>): readonly string[] | undefined {
  if (via !== undefined) return via === 'any' ? undefined : via
  if (http) return undefined
  return elicitation ? ['inbox', 'mcp-elicitation'] : ['inbox']
}

/** How an agent that starts the proxy could approve its own calls with a command. `undefined`: none is known. */
export function selfApproval(doors: readonly string[] | undefined): string | undefined {
  const how = wayThrough(doors)
  if (how === undefined) return undefined
  return `An agent with a shell can ${how} and approve its own calls. Leave "via" out of the configuration, or serve the proxy over HTTP as another user.`
}

function wayThrough(doors: readonly string[] | undefined): string | undefined {
  if (doors === undefined || doors.includes('cli')) return 'run holdpoint approve'
  return doors.includes('link') ? 'sign in with holdpoint link' : undefined
}
