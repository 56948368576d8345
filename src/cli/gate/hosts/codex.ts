import type { HookHost } from '../hook.ts'
import { isOfClaude, readClaude } from './claude-code.ts'
import { answerWith, SILENT } from './fields.ts'

/** Codex. It refuses members that it does not know, and an `allow` without changed arguments; a refused answer lets the call run. */
export const codex: HookHost = {
  name: 'codex',
  limitSeconds: 600,
  isFrom: (input) => isOfClaude(input) && typeof input.turn_id === 'string',
  read: (input) => readClaude(input, ['cwd', 'permission_mode', 'model', 'turn_id']),
  editProblem: (event) =>
    event === 'PermissionRequest' ? 'Codex cannot change the arguments of a call in PermissionRequest' : undefined,
  answer(event, verdict) {
    if (event === 'PermissionRequest') {
      if (verdict.say === 'free') return SILENT
      const decision = verdict.say === 'deny' ? { behavior: 'deny', message: verdict.reason } : { behavior: 'allow' }
      return answerWith({ hookSpecificOutput: { hookEventName: event, decision } })
    }
    if (verdict.say === 'deny') {
      const decided = { permissionDecision: 'deny', permissionDecisionReason: verdict.reason }
      return answerWith({ hookSpecificOutput: { hookEventName: event, ...decided } })
    }
    if (verdict.say === 'free' || !verdict.args) return SILENT
    const decided = { permissionDecision: 'allow', updatedInput: verdict.args }
    return answerWith({ hookSpecificOutput: { hookEventName: event, ...decided } })
  },
}
