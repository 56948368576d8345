/** Where the page is, as its address says. */
export type Route =
  | { view: 'inbox'; id?: string }
  | { view: 'decisions'; id?: string }
  | { view: 'grants' }
  | { view: 'figures' }
  | { view: 'thread'; id: string }
  | { view: 'settings' }
  /** With `code`, the address was a one-time sign-in link. */
  | { view: 'signin'; code?: string }

/** Reads the fragment of the address. What is unknown leads to the inbox. */
export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#/, '')
  if (text.startsWith('code=')) return { view: 'signin', code: text.slice('code='.length) }
  const [view, ...rest] = text.replace(/^\//, '').split('/')
  const id = decode(rest.join('/'))
  switch (view) {
    case 'decisions':
      return id ? { view, id } : { view }
    case 'thread':
      return id ? { view, id } : { view: 'inbox' }
    case 'grants':
    case 'figures':
    case 'settings':
    case 'signin':
      return { view }
    default:
      return view === 'inbox' && id ? { view, id } : { view: 'inbox' }
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The fragment of a route, for links. */
export function hrefOf(route: Route): string {
  const id = 'id' in route && route.id !== undefined ? `/${encodeURIComponent(route.id)}` : ''
  return `#/${route.view}${id}`
}
