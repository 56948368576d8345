import type { JsonObject } from '../../../index.ts'
import { type HookHost, type HostName, hostNames } from '../hook.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import { gemini } from './gemini.ts'

/** Every host by its name. */
export const hosts: Readonly<Record<HostName, HookHost>> = { 'claude-code': claudeCode, codex, gemini, cursor, copilot }

/** Whether this is the name of a host. */
export function isHostName(name: string): name is HostName {
  return (hostNames as readonly string[]).includes(name)
}

/** The host that sends input like this. Some events of Cursor have members of Claude Code too, so it is asked first. */
export function hostOf(input: JsonObject): HookHost | undefined {
  return [cursor, codex, claudeCode, gemini, copilot].find((host) => host.isFrom(input))
}
