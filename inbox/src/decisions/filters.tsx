import { type ReactNode, useId } from 'react'
import { visible } from '../../../src/core/display/visible.ts'
import { useWords } from '../i18n/i18n.tsx'
import { Icon } from '../shell/icon.tsx'
import { type DecisionFilter, outcomes, periods } from './filter.ts'
import { words } from './words.ts'

interface FiltersProps {
  filter: DecisionFilter
  /** People who decided something that is loaded. */
  people: readonly string[]
  me: string | undefined
  onChange: (filter: DecisionFilter) => void
}

/** Narrows the record. */
export function Filters({ filter, people, me, onChange }: FiltersProps) {
  const text = useWords(words)
  const set = (part: Partial<DecisionFilter>) => onChange({ ...filter, ...part })
  return (
    <search className="filters">
      <label className="record-search">
        <Icon name="search" />
        <span className="sr">{text.search}</span>
        <input
          className="input"
          type="search"
          placeholder={text.searchHint}
          value={filter.text}
          onChange={(event) => set({ text: event.currentTarget.value })}
        />
      </label>
      {!filter.notAsked && <Selects filter={filter} people={people} me={me} set={set} />}
      <button
        type="button"
        className="chip"
        aria-pressed={filter.notAsked}
        onClick={() => set({ notAsked: !filter.notAsked })}
      >
        {text.notAsked}
      </button>
    </search>
  )
}

interface SelectsProps extends Omit<FiltersProps, 'onChange'> {
  set: (part: Partial<DecisionFilter>) => void
}

function Selects({ filter, people, me, set }: SelectsProps) {
  const text = useWords(words)
  return (
    <>
      <Select
        label={text.period}
        value={filter.period}
        onChange={(value) => set({ period: periods.find((each) => each === value) ?? 'all' })}
      >
        {periods.map((period) => (
          <option key={period} value={period}>
            {text.periods[period]}
          </option>
        ))}
      </Select>
      <Select label={text.person} value={filter.person} onChange={(person) => set({ person })}>
        <option value="">{text.anyone}</option>
        {me !== undefined && <option value={me}>{text.you}</option>}
        {people
          .filter((person) => person !== me)
          .map((person) => (
            <option key={person} value={person}>
              {visible(person)}
            </option>
          ))}
      </Select>
      <Select
        label={text.outcomeName}
        value={filter.outcome}
        onChange={(value) => set({ outcome: outcomes.find((each) => each === value) ?? '' })}
      >
        <option value="">{text.any}</option>
        {outcomes.map((outcome) => (
          <option key={outcome} value={outcome}>
            {text.outcome[outcome]}
          </option>
        ))}
      </Select>
    </>
  )
}

interface SelectProps {
  label: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}

function Select({ label, value, onChange, children }: SelectProps) {
  const id = useId()
  return (
    <span className="chip chip-select" data-set={value !== '' && value !== 'all' ? '' : undefined}>
      <label className="sr" htmlFor={id}>
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {children}
      </select>
      <Icon name="down" />
    </span>
  )
}
