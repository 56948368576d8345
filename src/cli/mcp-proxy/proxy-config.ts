import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { z } from 'zod'
import type { Policy } from '../../index.ts'
import { filePolicy } from '../../policy/file-policy.ts'
import type { Call } from '../command-line/command.ts'
import { CliError, UsageError } from '../command-line/errors.ts'
import { requireFile } from '../command-line/files.ts'
import { withVariables } from './variables.ts'

const CODE = 'config_invalid'
const seconds = z.number().positive()
const texts = z.record(z.string(), z.string())

const common = {
  connectTimeoutSeconds: seconds.exactOptional(),
  protocol: z.enum(['2025-11-25', '2026-07-28']).exactOptional(),
}

const server = z.union(
  [
    z.strictObject({
      command: z.string().min(1),
      args: z.array(z.string()).exactOptional(),
      env: texts.exactOptional(),
      cwd: z.string().exactOptional(),
      stderr: z.enum(['inherit', 'ignore']).exactOptional(),
      ...common,
    }),
    z.strictObject({
      url: z.url({ protocol: /^https?$/ }),
      headers: texts.exactOptional(),
      ...common,
    }),
  ],
  'needs command (with args, env, cwd, stderr) or an http(s) url (with headers), and nothing else',
)

const shape = z.strictObject({
  servers: z.record(z.string(), server).refine((all) => Object.keys(all).length > 0, 'needs at least one server'),
  policy: z.unknown().optional(),
  store: z.string().min(1).exactOptional(),
  schema: z.string().min(1).exactOptional(),
  tenant: z.string().min(1).exactOptional(),
  agent: z.string().min(1).exactOptional(),
  pins: z.string().min(1).exactOptional(),
  holdSeconds: seconds.exactOptional(),
  progressSeconds: seconds.exactOptional(),
  attachSeconds: seconds.exactOptional(),
  elicitation: z.boolean().exactOptional(),
  via: z
    .union(
      [z.literal('any'), z.array(z.string().min(1)).min(1)],
      'must be "any" or an array of doors, such as ["inbox"]',
    )
    .exactOptional(),
  inboxUrl: z.url().exactOptional(),
  onUnknownOutcome: z.enum(['ask', 'retry', 'fail']).exactOptional(),
  http: z
    .strictObject({
      port: z.number().int().min(0).max(65_535),
      host: z.string().min(1).exactOptional(),
      origins: z.array(z.string()).exactOptional(),
      jwksUrl: z.url().exactOptional(),
      issuer: z.string().exactOptional(),
      audience: z.string().exactOptional(),
      idleSeconds: seconds.exactOptional(),
      maxPrincipals: z.number().int().positive().exactOptional(),
    })
    .exactOptional(),
})

/** The configuration of a proxy, checked. Paths are absolute. */
export interface ProxyConfig extends Omit<z.infer<typeof shape>, 'policy'> {
  /** The real path of the file: part of the principal on stdio. */
  readonly path: string
  readonly policy: Policy
  readonly pins: string
  /** What must not be logged. */
  readonly secrets: readonly string[]
}

/** Reads the file of `--config`. Every error names the file and the setting. */
export function readProxyConfig(call: Call): ProxyConfig {
  const name = call.text('config')
  if (name === undefined) throw new UsageError('mcp-proxy needs --config FILE')
  const path = realpathSync(requireFile(call, name, CODE))
  const { value, secrets } = withVariables(readJson(path, name), call.context.environment, (problem) =>
    bad(name, problem),
  )
  const parsed = shape.safeParse(value)
  if (!parsed.success) throw bad(name, problemOf(parsed.error))
  const folder = dirname(path)
  const { policy = {}, pins, store, ...rest } = parsed.data
  return {
    ...rest,
    path,
    secrets,
    policy: policyOf(policy, { folder, name }),
    pins: pins === undefined ? `${path.replace(/\.json$/, '')}.pins.json` : resolve(folder, pins),
    ...(store === undefined ? {} : { store: /^[a-z]+:\/\//i.test(store) ? store : resolve(folder, store) }),
  }
}

/** A policy in the file, or the name of a file that holds it. */
function policyOf(given: unknown, { folder, name }: { folder: string; name: string }): Policy {
  const from = typeof given === 'string' ? given : name
  const data = typeof given === 'string' ? readJson(resolve(folder, given), given) : given
  try {
    return filePolicy(data, basename(from))
  } catch (error) {
    throw bad(from, (error as Error).message.replace(/\.$/, ''))
  }
}

function readJson(path: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    // The message of a syntax error quotes the text, which may hold secrets.
    throw bad(name, error instanceof SyntaxError ? 'is not JSON' : `cannot be read: ${(error as Error).message}`)
  }
}

function problemOf({ issues }: z.ZodError): string {
  const [issue] = issues
  const at = issue?.path.join('.') ?? ''
  if (issue?.code === 'unrecognized_keys') {
    const known = at === '' ? `; there are ${Object.keys(shape.shape).join(', ')}` : ''
    return `${at === '' ? 'the file' : at} has no setting ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}${known}`
  }
  return `${at === '' ? 'the file' : at}: ${issue?.message ?? 'is invalid'}`
}

function bad(name: string, problem: string): CliError {
  return new CliError(CODE, `${name}: ${problem}.`)
}
