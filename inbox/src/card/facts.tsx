import type { RequestDetail } from 'holdpoint/client'
import type { JsonValue } from '../../../src/protocol/json/json.ts'
import { useInboxWords } from '../i18n/i18n.tsx'
import { Icon } from '../shell/icon.tsx'
import { Section } from './section.tsx'
import { SafeText } from './values/safe-text.tsx'

/** A value that may have changed. */
export interface Fact {
  name: string
  before?: JsonValue | undefined
  now?: JsonValue | undefined
  changed: boolean
}

/** What the call rests on: changed facts first, then those that are as they were. */
function factsOf({ request, changes }: RequestDetail): Fact[] {
  const changed = changes.map(({ path, from, to }) => ({
    name: path.replace(/^preconditions\./, ''),
    before: from,
    now: to,
    changed: true,
  }))
  const { preconditions } = request
  const all =
    typeof preconditions === 'object' && preconditions !== null && !Array.isArray(preconditions) ? preconditions : {}
  const same = Object.entries(all)
    .filter(([name]) => !changed.some((fact) => fact.name === name || fact.name.startsWith(`${name}.`)))
    .map(([name, value]) => ({ name, before: value, now: value, changed: false }))
  return [...changed, ...same]
}

/** The facts as a table. A change is neither good nor bad, so it is never green. */
export function Facts({ detail }: { detail: RequestDetail }) {
  const { card } = useInboxWords()
  const facts = factsOf(detail)
  if (facts.length === 0) return null
  return (
    <Section title={card.facts}>
      <FactTable facts={facts} heads={[card.fact, card.before, card.now]} />
    </Section>
  )
}

/** Values before and now. */
export function FactTable({ facts, heads }: { facts: readonly Fact[]; heads: readonly [string, string, string] }) {
  const { card } = useInboxWords()
  return (
    <table className="data facts">
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
          <th scope="col">
            <span className="sr">{card.state}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {facts.map(({ name, before, now, changed }) => (
          <tr key={name} data-changed={changed || undefined}>
            <th scope="row">
              <SafeText text={name} />
            </th>
            <td className="mono num">
              {changed ? (
                <s>
                  <Cell value={before} />
                </s>
              ) : (
                <Cell value={before} />
              )}
            </td>
            <td className="mono num">
              {changed ? (
                <mark>
                  <Cell value={now} />
                </mark>
              ) : (
                <Cell value={now} />
              )}
            </td>
            <td>
              <span className="fact-state">
                <Icon name={changed ? 'change' : 'check'} />
                {changed ? card.changed : card.same}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Cell({ value }: { value: JsonValue | undefined }) {
  const { card } = useInboxWords()
  if (value === undefined) return card.absent
  if (value === '') return card.emptyText
  return <SafeText text={typeof value === 'string' ? value : JSON.stringify(value)} />
}
