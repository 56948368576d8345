import type { BoundPolicy } from '../../policy/compose.ts'
import type { Judge, Policy, ToolFacts } from '../../policy/policy.ts'
import { tellReturned } from '../../protocol/checks/returned.ts'
import { PolicyInvalid } from '../../protocol/errors/errors.ts'
import type { AgentDefinition } from '../definition/definition.ts'

/** Binds policies to every reachable tool. Each policy checks its names against the tools, so that a typo cannot leave a tool ungated. */
export function bindPolicies(agents: readonly AgentDefinition[], list: readonly Policy[]): readonly BoundPolicy[] {
  const known = new Map<string, ToolFacts>()
  for (const { name, aliases, risk } of agents.flatMap(({ toolset }) => toolset)) {
    // Of several tools with one name the riskiest counts. A tool without a risk may be anything.
    const other = known.get(name)
    if (!other || (other.risk === 'low' && risk !== 'low')) known.set(name, { name, aliases, risk })
  }
  for (const { prefix } of agents.flatMap(({ hosted }) => hosted))
    known.set(`${prefix}*`, { name: `${prefix}*`, prefix })
  return bindTo([...known.values()], list)
}

/** Binds policies to these tools. */
export function bindTo(facts: readonly ToolFacts[], list: readonly Policy[]): readonly BoundPolicy[] {
  return Object.freeze(
    list.map((one) => {
      if (typeof one?.bind !== 'function')
        throw new PolicyInvalid('policy must be a result of humanInTheLoop() or definePolicy().')
      const { name, version, shadow } = one
      if (typeof name !== 'string' || typeof version !== 'string' || typeof shadow !== 'boolean')
        throw new PolicyInvalid('a policy has a name and a version, both strings, and shadow, a boolean.')
      const judge: unknown = one.bind(facts)
      if (typeof judge !== 'function')
        throw new PolicyInvalid(`Policy "${name}": bind() returned ${tellReturned(judge)}; it must be a function.`)
      return { policy: one, judge: judge as Judge }
    }),
  )
}
