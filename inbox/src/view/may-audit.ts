import type { Me } from 'holdpoint/client'

/** Whether a person sees and retries stuck threads. The server decides; this only hides what would be refused. */
export function mayOperate({ roles }: Me): boolean {
  return roles.some((role) => role === 'operator' || role === 'admin')
}

/** Whether a person reads journals and checks chains. The server decides; this only hides what would be refused. */
export function mayAudit({ roles }: Me): boolean {
  return roles.some((role) => role === 'operator' || role === 'admin' || role === 'auditor')
}
