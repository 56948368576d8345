import type { StoryItem } from 'holdpoint/client'
import type { ReactNode } from 'react'
import { useFormat, useInboxWords } from '../../i18n/i18n.tsx'
import { Icon, type IconName } from '../../shell/icon.tsx'
import { resultText } from '../values/result-text.ts'
import { SafeCode, SafeText } from '../values/safe-text.tsx'

const LONG = 140

/** A thread's story, the oldest first. */
export function Story({ story }: { story: readonly StoryItem[] }) {
  return (
    <ol className="story">
      {story.map((item, at) => (
        <StoryLine key={at} item={item} />
      ))}
    </ol>
  )
}

const ICONS: Record<StoryItem['kind'], IconName> = {
  person: 'person',
  model: 'bot',
  tool: 'tool',
  policy: 'shield',
  request: 'check',
  moved: 'bot',
  end: 'blank',
}

function StoryLine({ item }: { item: StoryItem }) {
  const { card } = useInboxWords()
  const format = useFormat()
  switch (item.kind) {
    case 'person':
      return (
        <Event item={item} name={<strong>{item.by === undefined ? card.person : <SafeText text={item.by} />}</strong>}>
          <p>
            <SafeText text={brief(item.text)} />
          </p>
        </Event>
      )
    case 'model':
      return (
        <Event
          item={item}
          name={
            <strong>
              <SafeText text={item.agent} />
            </strong>
          }
        >
          <details className="event-model">
            <summary>{card.modelWords(wordsIn(item.text))}</summary>
            <p>
              <SafeText text={item.text} />
            </p>
          </details>
        </Event>
      )
    case 'tool':
      return (
        <Event item={item} name={<SafeCode text={item.tool} />}>
          <p>
            <span className={item.state === 'finished' || item.state === 'started' ? undefined : 'warn-text'}>
              {card.toolState[item.state]}
            </span>
            {item.text !== undefined && (
              <span className="sep">
                <SafeText text={brief(resultText(item.text))} />
              </span>
            )}
            {item.ms !== undefined && item.ms >= 50 && <span className="event-time num"> {format.took(item.ms)}</span>}
          </p>
        </Event>
      )
    case 'policy':
      return <PolicyEvent item={item} />
    case 'request':
      return <RequestEvent item={item} />
    case 'moved':
      return (
        <Event
          item={item}
          name={
            <strong>
              <SafeText text={item.by.id} />
            </strong>
          }
        >
          <p>
            <SafeText text={card.moved(item.agent, item.version)} />
            {item.reason !== '' && (
              <span className="sep">
                <SafeText text={brief(item.reason)} />
              </span>
            )}
          </p>
        </Event>
      )
    case 'end':
      return <Event item={item} name={<strong>{card.ended(item.status)}</strong>} />
    default:
      return item satisfies never
  }
}

/** What policies said about a call, unless they let it through: that is not worth a line here. */
function PolicyEvent({ item }: { item: Extract<StoryItem, { kind: 'policy' }> }) {
  const { card } = useInboxWords()
  const counted = item.policies.filter(({ shadow }) => shadow !== true)
  const denied = counted.filter(({ verdict }) => verdict === 'deny')
  const shown = denied.length > 0 ? denied : counted.filter(({ verdict }) => verdict === 'review')
  if (shown.length === 0) return null
  return (
    <Event item={item} name={<SafeCode text={item.tool} />}>
      <p>
        {denied.length > 0 ? card.policyDenied : card.policyHeld}{' '}
        <SafeText text={shown.map(({ name, version }) => `${name} ${version}`).join(', ')} />
      </p>
    </Event>
  )
}

function RequestEvent({ item }: { item: Extract<StoryItem, { kind: 'request' }> }) {
  const { card } = useInboxWords()
  const waits = item.here === true && item.status === 'open'
  return (
    <Event
      item={item}
      icon={item.status === 'open' ? 'clock' : 'check'}
      here={item.here === true}
      name={
        <strong>
          {waits ? (
            card.waitingHere
          ) : item.by?.kind === 'person' ? (
            <SafeText text={item.by.id} />
          ) : (
            card.status[item.status]
          )}
        </strong>
      }
    >
      {!waits && (
        <p>
          {item.by?.kind === 'person' ? `${card.status[item.status]}: ` : ''}
          <SafeText text={item.title} />
        </p>
      )}
    </Event>
  )
}

interface EventProps {
  item: StoryItem
  name: ReactNode
  icon?: IconName
  here?: boolean
  children?: ReactNode
}

function Event({ item, name, icon = ICONS[item.kind], here = false, children }: EventProps) {
  const format = useFormat()
  const at = Date.parse(item.at)
  return (
    <li className="event" data-kind={item.kind} data-here={here || undefined}>
      <span className="event-dot">
        <Icon name={icon} />
      </span>
      <div className="event-body">
        <div className="event-head">
          {name}
          <time className="num" dateTime={item.at} title={format.exact(at)}>
            {format.clock(at)}
          </time>
        </div>
        {children}
      </div>
    </li>
  )
}

const brief = (text: string) => ([...text].length > LONG ? `${[...text].slice(0, LONG).join('')}…` : text)

/** How many words a text has; in scripts without blanks, how many characters. */
export const wordsIn = (text: string): number =>
  [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)].filter(({ isWordLike }) => isWordLike)
    .length
