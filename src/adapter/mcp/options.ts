import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { McpServerInvalid } from '../../protocol/errors/errors.ts'
import type { UnknownOutcomePolicy } from '../../runtime/definition/tool/approval.ts'
import { type ApprovalRules, parseRequireApproval, type RequireApproval } from '../../tools/require-approval.ts'

/** A server's description of one of its tools. Untrusted. */
export interface McpToolInfo {
  readonly name: string
  readonly description: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/**
 * Options of `mcpServer`: how to reach the server (one of `command`, `url`, `transport`), and how its tools are used.
 */
export interface McpServerOptions {
  name: string
  /** The prefix of its tools' names. Default: the name. */
  namespace?: string
  /**
   * A program to start, which communicates over stdin and stdout. It gets `env` and a few harmless variables of this
   * process.
   */
  command?: string
  args?: readonly string[]
  env?: Readonly<Record<string, string>>
  cwd?: string
  /** The program's stderr. Default `'inherit'`. */
  stderr?: 'inherit' | 'ignore'
  /** The URL of a streamable HTTP server. */
  url?: string | URL
  headers?: Readonly<Record<string, string>>
  /**
   * Any other transport. A function is called again after a lost connection; a transport object can be used only once.
   */
  transport?: Transport | (() => Transport | Promise<Transport>)
  /** Default `'always'`. Names are the server's own and must exist there. */
  requireApproval?: RequireApproval
  /** Which of its tools are used: an array of names, or a function. Default: all. */
  toolFilter?: readonly string[] | ((tool: McpToolInfo) => boolean)
  /** The timeout of a call. Default 60. */
  timeoutSeconds?: number
  /** The timeout of connecting and listing tools. Default 30. */
  connectTimeoutSeconds?: number
  /** What happens to a call if the connection breaks after it was sent. Default `'ask'`. */
  onUnknownOutcome?: UnknownOutcomePolicy
  /** Trust the server's read-only annotation: such a tool gets low risk. Default `false`. */
  trustAnnotations?: boolean
}

/** The checked options, with defaults. */
export interface McpSettings {
  readonly name: string
  readonly namespace: string
  readonly approval: ApprovalRules
  readonly toolFilter: McpServerOptions['toolFilter']
  readonly timeoutSeconds: number
  readonly connectMs: number
  readonly onUnknownOutcome: UnknownOutcomePolicy
  readonly trustAnnotations: boolean
}

const KNOWN = new Set([
  'name',
  'namespace',
  'command',
  'args',
  'env',
  'cwd',
  'stderr',
  'url',
  'headers',
  'transport',
  'requireApproval',
  'toolFilter',
  'timeoutSeconds',
  'connectTimeoutSeconds',
  'onUnknownOutcome',
  'trustAnnotations',
])
const OF_COMMAND = ['args', 'env', 'cwd', 'stderr'] as const
// No double underscore, and none at the ends, so that a prefixed name can be split in only one way.
const NAMESPACE = /^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/
const MAX_NAMESPACE = 32

/** Checks the options of `mcpServer`. Throws `McpServerInvalid`. */
export function checkOptions(options: McpServerOptions): McpSettings {
  const { name } = options ?? {}
  if (typeof name !== 'string' || name === '') throw new McpServerInvalid(String(name), 'it needs a name')
  const fail = (problem: string): McpServerInvalid => new McpServerInvalid(name, problem)
  const unknown = Object.keys(options).find((key) => !KNOWN.has(key))
  if (unknown !== undefined) throw fail(`there is no option "${unknown}"`)
  const { namespace = name, onUnknownOutcome = 'ask', trustAnnotations = false, toolFilter } = options
  if (typeof namespace !== 'string' || namespace.length > MAX_NAMESPACE || !NAMESPACE.test(namespace)) {
    throw fail(
      `its namespace "${namespace}" must be letters, digits, - and single _ between them, ${MAX_NAMESPACE} at most; pass one as namespace`,
    )
  }
  checkWay(options, fail)
  if (!['ask', 'retry', 'fail'].includes(onUnknownOutcome)) throw fail(`onUnknownOutcome is 'ask', 'retry' or 'fail'`)
  if (typeof trustAnnotations !== 'boolean') throw fail('trustAnnotations must be a boolean')
  const isList = Array.isArray(toolFilter) && toolFilter.every((one) => typeof one === 'string')
  if (toolFilter !== undefined && typeof toolFilter !== 'function' && !isList)
    throw fail('toolFilter must be an array of names or a function')
  return {
    name,
    namespace,
    approval: parseRequireApproval(options.requireApproval ?? 'always', fail),
    toolFilter,
    timeoutSeconds: seconds('timeoutSeconds', options.timeoutSeconds ?? 60, fail),
    connectMs: seconds('connectTimeoutSeconds', options.connectTimeoutSeconds ?? 30, fail) * 1000,
    onUnknownOutcome,
    trustAnnotations,
  }
}

function checkWay(options: McpServerOptions, fail: (problem: string) => Error): void {
  const { command, url, transport, headers, stderr } = options
  const ways = [command, url, transport].filter((way) => way !== undefined)
  if (ways.length !== 1) throw fail('it needs one of command, url and transport')
  if (command !== undefined && (typeof command !== 'string' || command === '')) throw fail('command must be a string')
  if (url !== undefined && !isHttp(url)) throw fail('url must be an http or https URL')
  const ofCommand = OF_COMMAND.find((key) => options[key] !== undefined)
  if (command === undefined && ofCommand !== undefined) throw fail(`${ofCommand} goes with command`)
  if (url === undefined && headers !== undefined) throw fail('headers go with url')
  if (stderr !== undefined && stderr !== 'inherit' && stderr !== 'ignore') throw fail(`stderr is 'inherit' or 'ignore'`)
}

function isHttp(url: string | URL): boolean {
  return URL.canParse(String(url)) && ['http:', 'https:'].includes(new URL(String(url)).protocol)
}

function seconds(key: string, value: unknown, fail: (problem: string) => Error): number {
  if (typeof value === 'number' && value > 0 && value <= 2_147_483) return value
  throw fail(`${key} must be a positive number`)
}
