import type { Call, Command } from '../../command-line/command.ts'
import { erasedLine } from '../../render/erased-line.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { gatewayOf } from '../../seat/gateway-place.ts'
import { type Anchor, readAnchors } from '../../store/anchors.ts'
import { auditKeysOf } from '../../store/audit-keys.ts'
import { type ThreadName, threadsOf } from '../../store/list-threads.ts'
import { withStore } from '../../store/open-store.ts'
import { type ChainCheck, verifyChain } from '../../store/verify-chain.ts'
import { verifyAtGateway } from './verify-at-gateway.ts'

/** Verifies the hash chains of threads. */
export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'check that no stored entry was changed, moved or removed',
  usage: '[--thread ID] [--anchor FILE]',
  options: {
    thread: { value: 'ID', help: 'only this thread (default: all threads)' },
    anchor: { value: 'FILE', help: 'compare with an earlier audit verify --json, which also finds a cut-off end' },
  },
  remote: true,
  positionals: { min: 0, max: 0 },
  examples: ['audit verify --json > heads.json', 'audit verify --anchor heads.json'],
  run: (call) => {
    const at = gatewayOf(call)
    return at ? verifyAtGateway(call, at.client) : verifyStore(call)
  },
}

function verifyStore(call: Call): Promise<number> {
  return withStore(call, async (store) => {
    const path = call.text('anchor')
    const anchors = path === undefined ? [] : anchorsFor(call, readAnchors(call, path))
    const auditKeys = auditKeysOf(call)
    const checks: Checked[] = []
    const threads = await threadsOf(call, store)
    for (const thread of threads) {
      const anchor = anchors.find((each) => isSame(each, thread))
      const check = await verifyChain(store.tenant(thread.tenant), thread.threadId, { auditKeys, anchor })
      checks.push({ ...thread, check })
    }
    checks.push(...anchors.filter((each) => !threads.some((thread) => isSame(each, thread))).map(missing))
    const ok = checks.every(({ check }) => check.ok)
    if (call.flag('json')) {
      call.context.out(safeJson({ ok, threads: checks.map(({ check, ...thread }) => ({ ...thread, ...check })) }))
    } else print(call, checks, auditKeys.length > 0)
    return ok ? 0 : 1
  })
}

interface Checked extends ThreadName {
  check: ChainCheck
}

/** The anchors of the threads that the options name. */
function anchorsFor(call: Call, anchors: readonly Anchor[]): Anchor[] {
  const one = call.text('thread')
  const tenant = call.text('tenant') ?? (one === undefined ? undefined : 'default')
  return anchors.filter(
    (anchor) => (one === undefined || anchor.threadId === one) && (tenant === undefined || anchor.tenant === tenant),
  )
}

function isSame(a: ThreadName, b: ThreadName): boolean {
  return a.tenant === b.tenant && a.threadId === b.threadId
}

function missing({ tenant, threadId, version }: Anchor): Checked {
  return { tenant, threadId, check: { ok: false, seq: 0, problem: `it had ${version} entries, and is gone` } }
}

function print({ context }: Call, checks: readonly Checked[], hasKeys: boolean): void {
  const { style } = context
  for (const { tenant, threadId, check } of checks) {
    const name = `${visible(threadId)}${tenant === 'default' ? '' : ` (tenant ${visible(tenant)})`}`
    if (check.ok)
      context.out(
        `${style.good('ok')}      ${name}  ${check.entries} entries${check.erased > 0 ? `, ${check.erased} erased` : ''}`,
      )
    else {
      const where = check.seq === 0 ? '' : `entry ${check.seq}: `
      context.out(`${style.bad('BROKEN')}  ${name}  ${where}${visible(check.problem)}`)
    }
  }
  const broken = checks.filter(({ check }) => !check.ok).length
  const all = checks.length === 1 ? '1 thread' : `${checks.length} threads`
  if (broken > 0) context.out('', `${broken} of ${all} BROKEN: not what was written.`)
  else context.out('', `${all} checked: every entry follows from the one before it.`)
  const erased = checks.reduce((sum, { check }) => sum + (check.ok ? check.erased : 0), 0)
  if (erased > 0) context.out(erasedLine(erased))
  const signed = checks.filter(({ check }) => check.ok && check.head.key !== undefined).length
  if (signed > 0 && !hasKeys)
    context.out(
      `Signatures were not checked: ${signed} signed. Give the key with HOLDPOINT_AUDIT_KEY or --audit-key-file.`,
    )
}
