import type { LineState } from 'holdpoint/react'
import type { ReactNode } from 'react'
import { visible } from '../../../src/core/display/visible.ts'
import { usePreferences } from '../app/preferences.tsx'
import { hrefOf, type Route } from '../app/route.ts'
import { useInboxWords } from '../i18n/i18n.tsx'
import { tagOf } from '../i18n/language.ts'
import { Icon, type IconName, Logo } from './icon.tsx'

interface TopBarProps {
  route: Route
  /** What waits, such as `9` or `1000+`. Empty if nothing does. */
  waiting: string
  line: LineState
  person: string
  theme: 'light' | 'dark'
  onHelp: () => void
}

/** The bar over every view. */
export function TopBar({ route, waiting, line, person, theme, onHelp }: TopBarProps) {
  const { shell } = useInboxWords()
  const count = waiting && (
    <span className="count num">
      {waiting}
      <span className="sr">{shell.waiting('')}</span>
    </span>
  )
  return (
    <header className="top">
      <a className="brand" href={hrefOf({ view: 'inbox' })} aria-label="holdpoint">
        <Logo />
        <span>holdpoint</span>
      </a>
      <nav className="tabs" aria-label={shell.views}>
        <Tab to="inbox" at={route} icon="inbox" name={shell.inbox}>
          {count}
        </Tab>
        <Tab to="decisions" at={route} icon="list" name={shell.decisions} />
        <Tab to="grants" at={route} icon="key" name={shell.grants} />
        <Tab to="figures" at={route} icon="chart" name={shell.figures} />
      </nav>
      <div className="top-end">
        <span className="line-state" data-state={line}>
          <span className="line-dot" />
          <span>
            {{ live: shell.live, connecting: shell.connecting, offline: shell.offline, ended: shell.connecting }[line]}
          </span>
        </span>
        <LanguageButton />
        <ThemeButton theme={theme} />
        <button type="button" className="icon-btn wide-only" aria-label={shell.keyboardHelp} onClick={onHelp}>
          <Icon name="keyboard" />
        </button>
        <a className="me" href={hrefOf({ view: 'settings' })}>
          <span className="me-initials" aria-hidden="true">
            {initialsOf(person)}
          </span>
          <span className="sr">{`${shell.signedInAs(visible(person))}, ${shell.settings}`}</span>
        </a>
      </div>
    </header>
  )
}

interface TabProps {
  to: 'inbox' | 'decisions' | 'grants' | 'figures'
  at: Route
  icon: IconName
  name: string
  children?: ReactNode
}

function Tab({ to, at, icon, name, children }: TabProps) {
  return (
    <a className="tab" href={hrefOf({ view: to })} aria-current={at.view === to ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{name}</span>
      {children}
    </a>
  )
}

function LanguageButton() {
  const { shell } = useInboxWords()
  const [{ language }, change] = usePreferences()
  const other = language === 'zh' ? 'en' : 'zh'
  return (
    <button
      type="button"
      className="icon-btn"
      lang={tagOf[other]}
      aria-label={shell.switchLanguage}
      onClick={() => change({ language: other })}
    >
      <span className="other-language" aria-hidden="true">
        {shell.otherLanguage}
      </span>
    </button>
  )
}

function ThemeButton({ theme }: { theme: 'light' | 'dark' }) {
  const { shell } = useInboxWords()
  const [, change] = usePreferences()
  const other = theme === 'dark' ? 'light' : 'dark'
  return (
    <button
      type="button"
      className="icon-btn"
      aria-label={{ light: shell.lightTheme, dark: shell.darkTheme }[other]}
      onClick={() => change({ theme: other })}
    >
      <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
    </button>
  )
}

/** Up to two letters of a name or an address. */
function initialsOf(person: string): string {
  const parts =
    person
      .split('@')[0]
      ?.split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean) ?? []
  const letters =
    parts.length > 1 ? [parts[0], parts.at(-1)].map((part) => [...(part ?? '')][0]) : [...(parts[0] ?? '?')].slice(0, 2)
  return letters.join('').toUpperCase()
}
