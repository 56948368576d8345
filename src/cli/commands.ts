import type { Command } from './command.ts'
import { answer } from './commands/answer.ts'
import { approve } from './commands/approve.ts'
import { auditSign } from './commands/audit-sign.ts'
import { auditVerify } from './commands/audit-verify.ts'
import { demo } from './commands/demo.ts'
import { doctor } from './commands/doctor.ts'
import { edit } from './commands/edit.ts'
import { grants } from './commands/grants.ts'
import { migrate } from './commands/migrate.ts'
import { pending } from './commands/pending.ts'
import { policyTest } from './commands/policy-test.ts'
import { reject } from './commands/reject.ts'
import { requests } from './commands/requests.ts'
import { respond } from './commands/respond.ts'
import { revoke } from './commands/revoke.ts'
import { show } from './commands/show.ts'
import { token } from './commands/token.ts'

/** Every command, in the order in which help lists them. */
export const commands: readonly Command[] = [
  demo,
  requests,
  show,
  approve,
  edit,
  reject,
  respond,
  answer,
  grants,
  revoke,
  auditVerify,
  auditSign,
  doctor,
  policyTest,
  pending,
  migrate,
  token,
]
