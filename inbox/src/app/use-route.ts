import { useMemo, useSyncExternalStore } from 'react'
import { hrefOf, parseRoute, type Route } from './route.ts'

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}

/** The route that the address names now. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash)
  return useMemo(() => parseRoute(hash), [hash])
}

/** The route that the address names at this moment. What was rendered last may be older: the address changes before the page hears of it. */
export const routeNow = (): Route => parseRoute(location.hash)

/** Goes to a route. `replace` leaves no entry in the history. */
export function go(route: Route, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', hrefOf(route))
  else location.hash = hrefOf(route)
  // The browser says so later, or not at all. Said now, the page is rendered before the next key, which then acts on the request that is shown.
  dispatchEvent(new HashChangeEvent('hashchange'))
}
