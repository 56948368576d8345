import type { CommandGroup } from '../command-line/command.ts'
import { auditExport } from './check/audit-export.ts'
import { auditSign } from './check/audit-sign.ts'
import { auditVerify } from './check/audit-verify.ts'
import { doctor } from './check/doctor.ts'
import { answer } from './decide/answer.ts'
import { approve } from './decide/approve.ts'
import { cancel } from './decide/cancel.ts'
import { edit } from './decide/edit.ts'
import { inbox } from './decide/inbox.ts'
import { reject } from './decide/reject.ts'
import { requests } from './decide/requests.ts'
import { respond } from './decide/respond.ts'
import { show } from './decide/show.ts'
import { withdraw } from './decide/withdraw.ts'
import { migrate } from './deploy/migrate.ts'
import { pending } from './deploy/pending.ts'
import { policyTest } from './deploy/policy-test.ts'
import { token } from './deploy/token.ts'
import { webhookCommands } from './deploy/webhooks.ts'
import { gate } from './gate/gate.ts'
import { gateInstall } from './gate/install.ts'
import { grants } from './grants/grants.ts'
import { revoke } from './grants/revoke.ts'
import { abort } from './look/abort.ts'
import { assign, claim } from './look/assign.ts'
import { comment } from './look/comment.ts'
import { figures } from './look/figures.ts'
import { journal } from './look/journal.ts'
import { retry } from './look/retry.ts'
import { threads } from './look/threads.ts'
import { erase } from './operate/erase.ts'
import { mcpProxy } from './operate/mcp-proxy.ts'
import { serve } from './operate/serve.ts'
import { worker } from './operate/worker.ts'
import { demo } from './start/demo.ts'
import { link } from './start/link.ts'
import { start } from './start/start.ts'

/** Every command, in the order in which help lists them. */
export const commandGroups: readonly CommandGroup[] = [
  { title: 'start here', commands: [start, link, demo] },
  { title: 'decide', commands: [inbox, requests, show, approve, edit, reject, respond, answer, cancel, withdraw] },
  { title: 'talk and look', commands: [comment, assign, claim, threads, retry, abort, journal, figures] },
  { title: 'standing decisions', commands: [grants, revoke] },
  { title: 'other agents', commands: [gate, gateInstall] },
  { title: 'webhooks', commands: webhookCommands },
  { title: 'check', commands: [auditVerify, auditExport, auditSign] },
  { title: 'operate', commands: [serve, worker, mcpProxy, doctor, migrate, erase] },
  { title: 'develop and deploy', commands: [policyTest, pending, token] },
]
