import type { StoryItem } from 'holdpoint/client'
import type { ReactNode } from 'react'
import { visible } from '../../../src/core/display/visible.ts'
import { hrefOf } from '../app/route.ts'
import { wordsIn } from '../card/context/story.tsx'
import { resultText } from '../card/values/result-text.ts'
import { SafeCode, SafeText } from '../card/values/safe-text.tsx'
import { useFormat, useWords } from '../i18n/i18n.tsx'
import { Icon, type IconName } from '../shell/icon.tsx'
import { Folded } from '../view/folded.tsx'
import { words } from './words.ts'

/** One step of a story. */
export function StepLine({ item, me }: { item: StoryItem; me: string | undefined }) {
  const text = useWords(words)
  switch (item.kind) {
    case 'person':
      return (
        <Step
          item={item}
          icon="person"
          name={item.by === undefined ? text.person : item.by === me ? text.you : <SafeText text={item.by} />}
        >
          <blockquote className="step-said">
            <Folded text={item.text} />
          </blockquote>
        </Step>
      )
    case 'model':
      return (
        <Step item={item} icon="bot" name={<SafeText text={item.agent} />}>
          <details className="step-model">
            <summary>
              {text.modelWords(wordsIn(item.text))} <span className="tag">{text.modelTag}</span>
            </summary>
            <p>
              <SafeText text={item.text} />
            </p>
          </details>
        </Step>
      )
    case 'tool':
      return <ToolStep item={item} />
    case 'policy':
      return <PolicyStep item={item} />
    case 'request':
      return <RequestStep item={item} me={me} />
    case 'moved':
      return (
        <Step item={item} icon="bot" name={<SafeText text={text.moved(item.agent, item.version)} />}>
          <Why item={item} me={me} />
        </Step>
      )
    case 'end':
      return (
        <Step item={item} icon="blank" name={text.end(visible(item.status))}>
          {item.by !== undefined && <Why item={{ by: item.by, reason: item.reason ?? '' }} me={me} />}
        </Step>
      )
    default:
      return item satisfies never
  }
}

/** Why somebody acted on the run, and who it was. */
function Why({ item: { by, reason }, me }: { item: Pick<Of<'moved'>, 'by' | 'reason'>; me: string | undefined }) {
  const text = useWords(words)
  return (
    <p>
      {reason !== '' && <SafeText text={reason} />}
      <span className="sep quiet">
        <SafeText text={byWords(by, { me, text })} />
      </span>
    </p>
  )
}

type Of<K extends StoryItem['kind']> = Extract<StoryItem, { kind: K }>

function ToolStep({ item }: { item: Of<'tool'> }) {
  const text = useWords(words)
  const format = useFormat()
  const name = <SafeCode text={item.tool} />
  return (
    <Step item={item} icon="tool" name={name}>
      <p>
        <span className={item.state === 'finished' || item.state === 'started' ? undefined : 'warn-text'}>
          {text.tool[item.state]}
        </span>
        {item.ms !== undefined && item.ms >= 50 && (
          <span className="sep quiet num">{text.took(format.took(item.ms))}</span>
        )}
      </p>
      {item.text !== undefined && (
        <div className="step-result">
          <span className="tag tag-warn" title={text.outsideHint}>
            {text.outside}
          </span>
          <Folded text={resultText(item.text)} />
        </div>
      )}
    </Step>
  )
}

function PolicyStep({ item }: { item: Of<'policy'> }) {
  const text = useWords(words)
  if (item.policies.length === 0) return null
  const name = <SafeCode text={item.tool} />
  return (
    <Step item={item} icon="shield" name={name}>
      <ul className="step-policies">
        {item.policies.map((policy) => (
          <li key={`${policy.name} ${policy.version} ${policy.verdict}`}>
            {text.policies[policy.verdict]} <SafeCode text={`${policy.name} ${policy.version}`} />
            {policy.shadow && <span className="tag">{text.shadow}</span>}
          </li>
        ))}
      </ul>
    </Step>
  )
}

function RequestStep({ item, me }: { item: Of<'request'>; me: string | undefined }) {
  const text = useWords(words)
  const { by } = item
  const open = item.status === 'open'
  const who = by === undefined ? '' : byWords(by, { me, text })
  return (
    <Step item={item} icon={open ? 'clock' : 'check'} name={text.request[item.status]} here={open}>
      <p>
        <SafeText text={item.title} />
        {who !== '' && (
          <span className="sep quiet">
            <SafeText text={who} />
          </span>
        )}
      </p>
      <a className="link" href={hrefOf(open ? { view: 'inbox', id: item.id } : { view: 'decisions', id: item.id })}>
        {open ? text.decide : text.record}
      </a>
    </Step>
  )
}

function byWords(
  { kind, id }: NonNullable<Of<'request'>['by']>,
  { me, text }: { me: string | undefined; text: typeof words.en },
) {
  switch (kind) {
    case 'grant':
      return text.byGrant(visible(id))
    case 'time':
      return text.byTime
    case 'person':
      return text.by(id === me ? text.you : visible(id))
    case 'policy':
    case 'system':
      return text.by(visible(id))
    default:
      return kind satisfies never
  }
}

interface StepProps {
  item: StoryItem
  icon: IconName
  name: ReactNode
  here?: boolean
  children?: ReactNode
}

function Step({ item, icon, name, here = false, children }: StepProps) {
  const format = useFormat()
  const at = Date.parse(item.at)
  return (
    <li className="step" data-kind={item.kind} data-here={here || undefined}>
      <span className="step-dot">
        <Icon name={icon} />
      </span>
      <div className="step-body" tabIndex={-1}>
        <div className="step-head">
          <strong>{name}</strong>
          <time className="num quiet" dateTime={item.at} title={format.exact(at)}>
            {format.day(at)}
          </time>
        </div>
        {children}
      </div>
    </li>
  )
}
