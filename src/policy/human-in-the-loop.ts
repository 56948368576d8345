import { PolicyInvalid } from '../protocol/errors/errors.ts'
import { canonicalJson, sha256 } from '../protocol/json/canonical.ts'
import { compilePatterns } from './patterns.ts'
import type { Judge, Policy, PolicyCall, PolicyVerdict, ReviewOptions, ToolFacts } from './policy.ts'
import { reviewKeys, reviewProblem } from './review-options.ts'

/** How one tool is reviewed. The risk is set by the tool. */
export interface ToolRule extends Omit<ReviewOptions, 'description' | 'risk'> {
  /** Replaces the generated description. */
  description?: string | ((call: PolicyCall) => string | Promise<string>)
  /** Whether this call is reviewed. If it throws or returns something other than a boolean, the call is reviewed. */
  when?: (call: PolicyCall) => boolean | Promise<boolean>
}

/** Options of `humanInTheLoop`. */
export interface HumanInTheLoopOptions {
  /** By tool name or pattern (`db.*`): `true` reviews with all decisions, `false` lets it run, an object says how. Exact names beat patterns. */
  interruptOn: Readonly<Record<string, boolean | ToolRule>>
  /** The first line of generated descriptions. */
  descriptionPrefix?: string
  /** The verdict for tools that match no name or pattern. Default `'allow'`. */
  otherwise?: 'allow' | 'review' | 'deny'
  name?: string
  /** Change it when a function among the rules changes. Rules that are data are hashed into the stored version automatically. Default `'1'`. */
  version?: string
}

const OPTIONS = new Set(['interruptOn', 'descriptionPrefix', 'otherwise', 'name', 'version'])
const RULE = new Set<string>([...reviewKeys.filter((key) => key !== 'risk'), 'when'])
const DEFAULT_PREFIX = 'Tool execution requires approval'

/** A policy by tool name. It is checked when the agent is built: a name that matches no tool is an error, so a typo cannot leave a tool ungated. */
export function humanInTheLoop(options: HumanInTheLoopOptions): Policy {
  const unknown = Object.keys(options ?? {}).find((key) => !OPTIONS.has(key))
  if (unknown !== undefined) throw new PolicyInvalid(`humanInTheLoop has no option "${unknown}".`)
  const { interruptOn, descriptionPrefix = DEFAULT_PREFIX, otherwise = 'allow' } = options ?? {}
  if (typeof interruptOn !== 'object' || interruptOn === null)
    throw new PolicyInvalid('humanInTheLoop needs interruptOn.')
  if (!['allow', 'review', 'deny'].includes(otherwise))
    throw new PolicyInvalid(`otherwise must be 'allow', 'review' or 'deny'.`)
  for (const [name, rule] of Object.entries(interruptOn)) checkRule(name, rule)
  return {
    name: options.name ?? 'humanInTheLoop',
    version: `${options.version ?? '1'}+${rulesHash({ interruptOn, descriptionPrefix, otherwise })}`,
    shadow: false,
    bind: (tools) => bind(tools, { interruptOn, descriptionPrefix, otherwise }),
  }
}

/** A hash of the rules that are data. A function is hashed only as being there; its changes are covered by `version`. */
function rulesHash(rules: object): string {
  const asData = (_key: string, value: unknown): unknown => (typeof value === 'function' ? { function: true } : value)
  return sha256(canonicalJson(JSON.parse(JSON.stringify(rules, asData)))).slice(0, 12)
}

/** Looks up the rule of each tool once, so that a call costs the same with a thousand rules. */
function bind(
  tools: readonly ToolFacts[],
  {
    interruptOn,
    descriptionPrefix,
    otherwise,
  }: Required<Pick<HumanInTheLoopOptions, 'interruptOn' | 'descriptionPrefix' | 'otherwise'>>,
): Judge {
  const find = compilePatterns(Object.keys(interruptOn))
  const used = new Set<string>()
  const rules = new Map<string, boolean | ToolRule | undefined>()
  const prefixes = tools.flatMap(({ prefix }) => prefix ?? [])
  for (const { name, aliases = [], risk } of tools) {
    // Rules with an exact name come before patterns, whichever of the tool's names they match.
    const found = [name, ...aliases].flatMap(find).sort((a, b) => Number(a.includes('*')) - Number(b.includes('*')))
    for (const one of found) used.add(one)
    const rule = found[0] === undefined ? undefined : interruptOn[found[0]]
    if (typeof rule === 'object' && rule.onTimeout === 'allow' && risk !== 'low') {
      throw new PolicyInvalid(
        `interruptOn["${found[0]}"] lets ${name} run when nobody answers; only tools marked risk: 'low' may do that.`,
      )
    }
    rules.set(name, rule)
  }
  const unused = Object.keys(interruptOn).find(
    (name) => !used.has(name) && !prefixes.some((prefix) => name.startsWith(prefix)),
  )
  if (unused !== undefined) {
    throw new PolicyInvalid(
      `interruptOn names "${unused}", which matches no tool of the agent. Its tools: ${tools.map((tool) => tool.name).join(', ') || 'none'}.`,
    )
  }
  return (call) => {
    // The tools of a hosted server are unknown until they are called.
    const [found] = rules.has(call.toolName) ? [] : find(call.toolName)
    const rule = found === undefined ? rules.get(call.toolName) : interruptOn[found]
    if (rule === false || (rule === undefined && otherwise === 'allow')) return { verdict: 'allow' }
    if (rule === undefined && otherwise === 'deny')
      return { verdict: 'deny', reason: `${call.toolName} is not allowed here.` }
    return review(typeof rule === 'object' ? rule : {}, call, descriptionPrefix)
  }
}

async function review(given: ToolRule, call: PolicyCall, descriptionPrefix: string): Promise<PolicyVerdict> {
  if (given.when && !(await applies(given.when, call))) return { verdict: 'allow' }
  const { when: _when, description, ...options } = given
  const text = typeof description === 'function' ? await description(call) : description
  const generated = `${descriptionPrefix}\n\nTool: ${call.toolName}\nArgs: ${JSON.stringify(call.args)}`
  return { verdict: 'review', ...(options satisfies ReviewOptions), description: text ?? generated }
}

/** Fails closed: if the condition cannot be evaluated, it applies. */
async function applies(when: NonNullable<ToolRule['when']>, call: PolicyCall): Promise<boolean> {
  try {
    return (await when(call)) !== false
  } catch {
    return true
  }
}

function checkRule(name: string, rule: unknown): void {
  const bad = (problem: string): PolicyInvalid => new PolicyInvalid(`interruptOn["${name}"] ${problem}.`)
  if (typeof rule === 'boolean') return
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) throw bad('must be true, false or an object')
  const unknown = Object.keys(rule).find((key) => !RULE.has(key))
  if (unknown !== undefined) throw bad(`has no option "${unknown}"; there are ${[...RULE].join(', ')}`)
  const { when, description, ...review } = rule as ToolRule
  if (when !== undefined && typeof when !== 'function') throw bad('has a when that is not a function')
  const problem = reviewProblem(typeof description === 'function' ? review : { ...review, description })
  if (problem) throw bad(problem)
}
