import { Suspense } from 'react'
import { FormatProvider } from '../i18n/i18n.tsx'
import { Announcer } from '../shell/announcer.tsx'
import { TopBar } from '../shell/top-bar.tsx'
import { useTheme } from '../theme/use-theme.ts'
import { PreferencesProvider } from './preferences.tsx'
import type { Route } from './route.ts'
import { go, useRoute } from './use-route.ts'
import { Decisions, Figures, Grants, Settings, SignIn, Thread } from './views.ts'

/** The page. */
export function App() {
  return (
    <PreferencesProvider>
      <FormatProvider>
        <Announcer>
          <Views />
        </Announcer>
      </FormatProvider>
    </PreferencesProvider>
  )
}

function Views() {
  const route = useRoute()
  const theme = useTheme()
  return (
    <>
      <TopBar route={route} waiting="" line="connecting" person="" theme={theme} onHelp={() => undefined} />
      <Suspense fallback={<main className="page" aria-busy="true" />}>
        <View route={route} />
      </Suspense>
    </>
  )
}

function View({ route }: { route: Route }) {
  switch (route.view) {
    case 'inbox':
      return <main className="page" />
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
    case 'signin':
      return (
        <SignIn {...(route.code === undefined ? {} : { code: route.code })} onSignedIn={() => go({ view: 'inbox' })} />
      )
    default:
      return route satisfies never
  }
}
