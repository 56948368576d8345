import { PolicyInvalid } from '../protocol/errors/errors.ts'
import { canonicalJson, sha256 } from '../protocol/json/canonical.ts'
import type { JsonObject } from '../protocol/json/json.ts'
import { compilePatterns } from './patterns.ts'
import type { Policy, PolicyVerdict, ReviewOptions } from './policy.ts'
import { reviewProblem } from './review-options.ts'

const VERDICTS = ['allow', 'review', 'deny'] as const
type Verdict = (typeof VERDICTS)[number]

/** A policy that is plain data, as a file holds it. */
interface FilePolicy {
  /** By tool name or pattern (`files.write_*`): a verdict, or how a person is asked. Exact names beat patterns, longer patterns beat shorter ones. */
  rules?: Readonly<Record<string, Verdict | ReviewOptions>>
  /** The verdict for tools that no rule names. Default `'review'`. */
  otherwise?: Verdict
}

/** Reads a policy that is plain data. `name` is what people read as the reason for being asked. Throws `PolicyInvalid`, which names the rule. */
export function filePolicy(given: unknown, name: string): Policy {
  if (!isObject(given)) throw new PolicyInvalid('The policy must be an object with rules and otherwise.')
  const unknown = Object.keys(given).find((key) => key !== 'rules' && key !== 'otherwise')
  if (unknown !== undefined)
    throw new PolicyInvalid(`The policy has no setting ${JSON.stringify(unknown)}; there are rules and otherwise.`)
  const { rules = {}, otherwise = 'review' } = given as FilePolicy
  if (!isVerdict(otherwise)) throw new PolicyInvalid(`otherwise of the policy must be ${VERDICTS.join(', ')}.`)
  if (!isObject(rules)) throw new PolicyInvalid('rules of the policy must be an object.')
  for (const [tool, rule] of Object.entries(rules)) checkRule(tool, rule)
  const find = compilePatterns(Object.keys(rules))
  return {
    name,
    version: sha256(canonicalJson({ rules, otherwise } as unknown as JsonObject)).slice(0, 12),
    shadow: false,
    bind: () => (call) => {
      const [found] = find(call.toolName)
      return verdictOf(call.toolName, found === undefined ? otherwise : (rules[found] ?? otherwise))
    },
  }
}

function verdictOf(toolName: string, rule: Verdict | ReviewOptions): PolicyVerdict {
  if (typeof rule === 'object') return { verdict: 'review', ...rule }
  return rule === 'deny' ? { verdict: 'deny', reason: `${toolName} is not allowed here.` } : { verdict: rule }
}

function checkRule(name: string, rule: unknown): void {
  const bad = (problem: string): PolicyInvalid => new PolicyInvalid(`The rule ${JSON.stringify(name)} ${problem}.`)
  if (isVerdict(rule)) return
  if (!isObject(rule)) throw bad(`must be ${VERDICTS.join(', ')} or an object`)
  const problem = reviewProblem(rule)
  if (problem) throw bad(problem)
  const { onTimeout, risk } = rule as ReviewOptions
  if (onTimeout === 'allow' && risk !== 'low')
    throw bad(`lets calls run when nobody answers; only a rule with risk "low" may do that`)
}

function isVerdict(value: unknown): value is Verdict {
  return (VERDICTS as readonly unknown[]).includes(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
