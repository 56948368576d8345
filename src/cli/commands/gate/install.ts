import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Call, Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { packageFolder } from '../../command-line/package-folder.ts'
import { toSeconds } from '../../command-line/time-span.ts'
import { loadGatePolicy } from '../../gate/gate-policy.ts'
import { type HostName, hostNames } from '../../gate/hook.ts'
import { isHostName } from '../../gate/hosts/find-host.ts'
import { hookCommand } from '../../gate/install/hook-command.ts'
import { type HostConfig, hostConfigs } from '../../gate/install/host-config.ts'
import { mergeConfig, unmergeConfig } from '../../gate/install/merge-config.ts'
import { canWrite, selfApprovals } from '../../gate/install/self-approval.ts'
import { type GatePlace, gatePlace, gatePlaceOptions } from '../../gate/open-gate.ts'
import { safeJson, visible } from '../../render/visible.ts'
import { dataFolder, storeFileIn } from '../../serving/data-folder.ts'

/** Long enough for a person to come back from lunch. */
const USUAL_LIMIT = 3600
const ASK_MS = 3_000
const AROUND =
  'The agent can edit these hooks, or install others, if a tool that is free or a call that was approved writes files. Where it cannot: see "Going around the hook" in docs/guides/coding-agents.md.'

/** Puts the gate into the configuration of a coding agent. */
export const gateInstall: Command = {
  name: 'gate install',
  summary: 'put the gate into the hooks of a coding agent',
  about:
    "Writes the hooks into the host's configuration of this folder, with a long timeout and its switch to fail closed where it has one. Other settings stay. It warns where the agent could approve its own calls, and says what the host does not protect.",
  usage: 'HOST (--gateway URL | --policy FILE [--store PLACE] | --remove)',
  options: {
    ...gatePlaceOptions,
    limit: { value: 'TIME', help: 'how long the host waits for a decision (default: 1h)' },
    user: { help: "write the configuration of the user, not this folder's" },
    print: { help: 'print the configuration, and write nothing' },
    remove: { help: 'take the hooks out of the configuration again; needs no other option' },
  },
  positionals: { min: 1, max: 1 },
  examples: [
    'gate install claude-code --gateway https://approvals.example.com',
    'gate install codex --policy policy.mjs --print',
  ],
  async run(call) {
    const host = hostOf(call)
    if (call.flag('remove')) return remove(call, hostConfigs[host])
    const place = gatePlace(call)
    // A policy that cannot be loaded would deny every call.
    if (place.at === 'store') await loadGatePolicy(call, place.policy)
    const config = hostConfigs[host]
    const limit = Math.ceil(toSeconds('limit', call.text('limit') ?? String(USUAL_LIMIT)))
    const program = [process.execPath, join(packageFolder(), 'dist', 'cli', 'main.js')]
    const hooks = config.hooks(hookCommand(call, { host, place, limit, program }), limit)
    const warnings = selfApprovals(place, await userOf(call, place))
    const file = call.flag('print') ? undefined : write(call, config, hooks)
    tell(call, { file, warnings, config, text: mergeConfig(undefined, { hooks, rest: config.rest }) })
    return 0
  },
}

function hostOf(call: Call): HostName {
  const [name = ''] = call.args
  if (!isHostName(name)) throw new UsageError(`HOST is ${hostNames.join(', ')}, not '${name}'`)
  return name
}

function write(call: Call, config: HostConfig, hooks: ReturnType<HostConfig['hooks']>): string {
  const file = fileOf(call, config)
  replace(file, mergeConfig(readIfThere(file), { hooks, rest: config.rest }))
  return file
}

function remove(call: Call, config: HostConfig): number {
  const file = fileOf(call, config)
  const text = readIfThere(file)
  if (text !== undefined) replace(file, unmergeConfig(text))
  const { out } = call.context
  if (call.flag('json')) out(safeJson({ file: text === undefined ? null : file }))
  else if (text === undefined) out(`There is no ${visible(file)}: nothing to remove.`)
  else out(`No hooks of holdpoint are in ${visible(file)}. Start the agent again to forget them.`)
  return 0
}

function fileOf(call: Call, { files: { project, user } }: HostConfig): string {
  return call.flag('user') ? join(homedir(), user) : join(call.context.cwd, project)
}

/** Replaces a file as a whole. A link to it stays, and so does who may read it. */
function replace(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const target = existsSync(file) ? realpathSync(file) : file
  const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o644
  writeFileSync(`${target}.new`, text, { mode })
  renameSync(`${target}.new`, target)
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** What the user of the agent, who is the user of this command, has access to. */
async function userOf(call: Call, place: GatePlace) {
  const { settings } = call.context
  const stores = [storeFileIn(dataFolder(call)), settings.store].filter(
    (path): path is string => path !== undefined && canWrite(path),
  )
  const tokenDecides = place.at === 'gateway' ? await mayDecide(place) : undefined
  const writesPolicy = place.at === 'store' && canWrite(resolve(call.context.cwd, place.policy))
  return { stores, hasSecret: settings.jwtSecret !== undefined, tokenDecides, writesPolicy }
}

/** Whether the gateway takes the token for a person's. It refuses agents with 403. */
async function mayDecide({ url, token }: { url: string; token: string }): Promise<boolean | undefined> {
  try {
    const { status } = await fetch(`${url.replace(/\/$/, '')}/v1/me`, {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'error',
      signal: AbortSignal.timeout(ASK_MS),
    })
    if (status === 403) return false
    return status === 200 ? true : undefined
  } catch {
    // It cannot be reached from here, or not now.
    return undefined
  }
}

function tell(
  call: Call,
  told: { file: string | undefined; warnings: readonly string[]; config: HostConfig; text: string },
): void {
  const { file, warnings, config, text } = told
  const { out, err, style } = call.context
  if (call.flag('json')) {
    out(safeJson({ file: file ?? null, config: JSON.parse(text), warnings, notes: config.notes }))
    return
  }
  if (file === undefined) out(text.trimEnd())
  else out(`The hooks are in ${visible(file)}. Start the agent again to load them.`)
  for (const warning of warnings) err(`${style.bad('warning:')} ${visible(warning)}`)
  for (const note of [...config.notes, ...(file === undefined ? [] : [AROUND])]) err(`note: ${visible(note)}`)
}
