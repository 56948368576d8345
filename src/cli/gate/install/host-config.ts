import type { JsonObject } from '../../../index.ts'
import type { HostName } from '../hook.ts'

/** How a host is told to call the gate. */
export interface HostConfig {
  /** The configuration of a project, and of a user, relative to its folder and to the home folder. */
  readonly files: { readonly project: string; readonly user: string }
  /** The hooks of this host by event: one entry each. */
  hooks(command: string, limitSeconds: number): Readonly<Record<string, JsonObject>>
  /** What else the file must say. */
  readonly rest?: JsonObject
  /** What the host does that no configuration changes. */
  readonly notes: readonly string[]
}

const group = (hook: JsonObject): JsonObject => ({ matcher: '*', hooks: [hook] })

/** The limit of hooks that run after a tool. */
const AFTER_SECONDS = 30

/** The configuration of each host. */
export const hostConfigs: Readonly<Record<HostName, HostConfig>> = {
  'claude-code': {
    files: { project: '.claude/settings.json', user: '.claude/settings.json' },
    hooks(command, timeout) {
      const after = group({ type: 'command', command, timeout: AFTER_SECONDS })
      return {
        PreToolUse: group({ type: 'command', command, timeout }),
        PostToolUse: after,
        PostToolUseFailure: after,
      }
    },
    notes: [
      'Claude Code runs the tool if this hook is killed or is later than its timeout. There is no setting against that.',
    ],
  },
  codex: {
    files: { project: '.codex/hooks.json', user: '.codex/hooks.json' },
    hooks(command, timeout) {
      return {
        PreToolUse: group({ type: 'command', command, timeout }),
        PostToolUse: group({ type: 'command', command, timeout: AFTER_SECONDS }),
      }
    },
    notes: [
      'Codex skips new and changed hooks until you have trusted them, and codex exec does so without a word: type /hooks in Codex.',
      'Codex runs the tool if this hook is later than its timeout. There is no setting against that.',
    ],
  },
  gemini: {
    files: { project: '.gemini/settings.json', user: '.gemini/settings.json' },
    hooks(command, seconds) {
      const hook = (timeout: number) => ({
        matcher: '.*',
        hooks: [{ name: 'holdpoint', type: 'command', command, timeout: timeout * 1000 }],
      })
      return { BeforeTool: hook(seconds), AfterTool: hook(AFTER_SECONDS) }
    },
    notes: ['Gemini CLI runs the tool if this hook is later than its timeout. There is no setting against that.'],
  },
  cursor: {
    files: { project: '.cursor/hooks.json', user: '.cursor/hooks.json' },
    rest: { version: 1 },
    hooks(command, timeout) {
      return {
        preToolUse: { command, timeout, failClosed: true },
        postToolUse: { command, timeout: AFTER_SECONDS },
        postToolUseFailure: { command, timeout: AFTER_SECONDS },
      }
    },
    notes: ["Versions of Cursor are reported that ignore a hook's allow and ask in their own window as well."],
  },
  copilot: {
    files: { project: '.github/hooks/holdpoint.json', user: '.copilot/hooks/holdpoint.json' },
    rest: { version: 1 },
    hooks(command, timeoutSec) {
      const after = { type: 'command', bash: command, timeoutSec: AFTER_SECONDS }
      return {
        preToolUse: { type: 'command', bash: command, timeoutSec },
        postToolUse: after,
        postToolUseFailure: after,
      }
    },
    notes: [
      'GitHub Copilot CLI loads hooks of a folder only if the folder is trusted; copilot -p elsewhere runs tools without them. Hooks of the user (--user) always count.',
      'GitHub Copilot CLI runs the tool if this hook is later than its timeout. There is no setting against that.',
    ],
  },
}
