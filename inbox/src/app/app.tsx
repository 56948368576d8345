import { type ApiError, createInboxClient, type InboxClient } from 'holdpoint/client'
import { InboxProvider, useCounts, useLive, useMe } from 'holdpoint/react'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { SpeechProvider, useFormat, useInboxWords, type Words } from '../i18n/i18n.tsx'
import type { Language } from '../i18n/language.ts'
import { useKeys } from '../keyboard/use-keys.ts'
import { useStrayKeys } from '../keyboard/use-stray-keys.ts'
import { countText } from '../queue/queue-head.tsx'
import { Announcer } from '../shell/announcer.tsx'
import { Boundary, ViewFailed } from '../shell/boundary.tsx'
import { OfflineBanner } from '../shell/offline-banner.tsx'
import { TopBar } from '../shell/top-bar.tsx'
import { useTheme } from '../theme/use-theme.ts'
import { DraftsProvider } from '../verdict/drafts.tsx'
import { ToastProvider } from '../verdict/toasts.tsx'
import { ClockProvider } from './clock.tsx'
import { InboxView } from './inbox-view.tsx'
import { PreferencesProvider } from './preferences.tsx'
import type { Route } from './route.ts'
import { useNotifications } from './use-notifications.ts'
import { go, routeNow, useRoute } from './use-route.ts'
import { useTitle } from './use-title.ts'
import { Decisions, Figures, Grants, KeyboardHelp, Settings, SignIn, Thread } from './views.ts'

/** The page. */
export function App({ initial }: { initial: { language: Language; words: Words } }) {
  return (
    <PreferencesProvider>
      <SpeechProvider initial={initial}>
        <Announcer>
          <Session />
        </Announcer>
      </SpeechProvider>
    </PreferencesProvider>
  )
}

/** The address of the page without its fragment: the gateway may be mounted below a path. */
const baseUrl = () => new URL('.', location.href).href.replace(/\/$/, '')

/** Signs in first. Another sign-in starts anew: nothing of the person before is kept. */
function Session() {
  const route = useRoute()
  const [turn, setTurn] = useState(0)
  // The turn that was signed out: a late refusal of the one before says nothing about this one.
  const [out, setOut] = useState<number>()
  // The turn in which somebody was signed in.
  const [known, setKnown] = useState<number>()
  useTheme()
  const client = useMemo<InboxClient>(
    () => createInboxClient({ url: baseUrl(), onSignedOut: (_: ApiError) => setOut(turn) }),
    [turn],
  )
  const signedIn = () => {
    setTurn((before) => before + 1)
    if (routeNow().view === 'signin') go({ view: 'inbox' }, { replace: true })
  }
  // No live connection before somebody is signed in.
  if (out === turn || route.view === 'signin')
    return (
      <Suspense fallback={null}>
        <SignIn
          client={client}
          ended={route.view !== 'signin' && known === turn}
          {...(route.view === 'signin' && route.code !== undefined ? { code: route.code } : {})}
          onSignedIn={signedIn}
        />
      </Suspense>
    )
  return (
    <InboxProvider client={client} storage={sessionStorage} key={turn}>
      <DraftsProvider>
        <Desk route={route} onKnown={() => setKnown(turn)} />
      </DraftsProvider>
    </InboxProvider>
  )
}

function Desk({ route, onKnown }: { route: Route; onKnown: () => void }) {
  const { shell } = useInboxWords()
  const theme = useTheme()
  const format = useFormat()
  const { data: me, state: known, reload } = useMe()
  const latest = useRef(onKnown)
  latest.current = onKnown
  useEffect(() => {
    if (me) latest.current()
  }, [me])
  const counts = useCounts().data
  const { state } = useLive()
  const [help, setHelp] = useState(false)
  const waiting = counts && counts.mine.count > 0 ? countText(counts.mine, format.number) : ''
  useTitle(waiting)
  useNotifications(counts?.mine.count)
  useStrayKeys()
  useKeys({
    '?': () => setHelp(true),
    'g i': () => go({ view: 'inbox' }),
    'g d': () => go({ view: 'decisions' }),
    'g g': () => go({ view: 'grants' }),
    'g f': () => go({ view: 'figures' }),
  })
  return (
    <ClockProvider serverNow={me?.now}>
      <div className="frame" data-card={(route.view === 'inbox' && route.id !== undefined) || undefined}>
        <button type="button" className="skip" onClick={() => document.getElementById('request')?.focus()}>
          {shell.skip}
        </button>
        <TopBar
          route={route}
          waiting={waiting}
          line={state}
          person={me?.id ?? ''}
          theme={theme}
          onHelp={() => setHelp(true)}
        />
        <ToastProvider onUndone={(id) => go({ view: 'inbox', id })}>
          <OfflineBanner />
          <Boundary key={route.view}>
            <Suspense fallback={<main className="page" aria-busy="true" />}>
              {me ? (
                <View route={route} me={me} />
              ) : known === 'failed' ? (
                <ViewFailed onAgain={() => void reload()} />
              ) : (
                <main className="page" aria-busy="true" />
              )}
            </Suspense>
          </Boundary>
        </ToastProvider>
        <Suspense>{help && <KeyboardHelp onClose={() => setHelp(false)} />}</Suspense>
      </div>
    </ClockProvider>
  )
}

function View({ route, me }: { route: Route; me: import('holdpoint/client').Me }) {
  switch (route.view) {
    case 'inbox':
    case 'signin':
      return <InboxView named={route.view === 'inbox' ? route.id : undefined} me={me} />
    case 'decisions':
      return <Decisions />
    case 'grants':
      return <Grants />
    case 'figures':
      return <Figures />
    case 'thread':
      return <Thread id={route.id} />
    case 'settings':
      return <Settings />
    default:
      return route satisfies never
  }
}
