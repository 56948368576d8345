import type { CommandGroup } from '../command-line/command.ts'
import { answer } from './answer.ts'
import { approve } from './approve.ts'
import { assign, claim } from './assign.ts'
import { auditExport } from './audit-export.ts'
import { auditSign } from './audit-sign.ts'
import { auditVerify } from './audit-verify.ts'
import { comment } from './comment.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor.ts'
import { edit } from './edit.ts'
import { figures } from './figures.ts'
import { grants } from './grants.ts'
import { inbox } from './inbox.ts'
import { journal } from './journal.ts'
import { link } from './link.ts'
import { migrate } from './migrate.ts'
import { pending } from './pending.ts'
import { policyTest } from './policy-test.ts'
import { reject } from './reject.ts'
import { requests } from './requests.ts'
import { respond } from './respond.ts'
import { revoke } from './revoke.ts'
import { show } from './show.ts'
import { start } from './start.ts'
import { threads } from './threads.ts'
import { token } from './token.ts'
import { webhookCommands } from './webhooks.ts'
import { withdraw } from './withdraw.ts'

/** Every command, in the order in which help lists them. */
export const commandGroups: readonly CommandGroup[] = [
  { title: 'start here', commands: [start, link, demo] },
  { title: 'decide', commands: [inbox, requests, show, approve, edit, reject, respond, answer, withdraw] },
  { title: 'talk and look', commands: [comment, assign, claim, threads, journal, figures] },
  { title: 'standing decisions', commands: [grants, revoke] },
  { title: 'webhooks', commands: webhookCommands },
  { title: 'check', commands: [auditVerify, auditExport, auditSign, doctor] },
  { title: 'develop and deploy', commands: [policyTest, pending, migrate, token] },
]
