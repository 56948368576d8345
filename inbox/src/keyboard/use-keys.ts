import { useEffect, useRef } from 'react'
import { usePreferences } from '../app/preferences.tsx'
import { isComposing, TYPING } from './typing.ts'

/** What keys do: `a`, `shift+x`, `g i` (one after the other), `enter`, `escape`. Returning `false` leaves the key to the browser. */
export type Bindings = Readonly<Record<string, (event: KeyboardEvent) => unknown>>

/** How long the second key of a pair may take. */
const PAIR_MS = 1000
/** Keys that go on while they are held. Others act once: held, they would turn things on and off, or act on what came next. */
const HELD = ['j', 'k']

/**
 * Binds single keys while the component is shown. They rest while somebody types, in dialogs, with a modifier, and if they are switched off. `last`: a key
 * that something else on the page has acted on is not for these.
 */
export function useKeys(bindings: Bindings, { last = false } = {}): void {
  const [{ keys }] = usePreferences()
  const latest = useRef(bindings)
  latest.current = bindings
  useEffect(() => {
    let first: { key: string; at: number } | undefined
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isComposing(event)) return
      const target = event.target instanceof Element ? event.target : undefined
      const key = nameOf(event)
      // A dialog has the keyboard also while nothing in it has the focus, such as after its button was taken away.
      if (document.querySelector('dialog[open]') || (target?.closest(TYPING) && key !== 'escape')) return
      if (!keys && key !== 'escape' && key !== 'enter') return
      if (event.repeat && !HELD.includes(key)) return
      const pair = first && event.timeStamp - first.at < PAIR_MS ? latest.current[`${first.key} ${key}`] : undefined
      first = { key, at: event.timeStamp }
      const act = pair ?? latest.current[key]
      if (act && act(event) !== false) event.preventDefault()
    }
    const heard = last ? window : document
    heard.addEventListener('keydown', onKey as EventListener)
    return () => heard.removeEventListener('keydown', onKey as EventListener)
  }, [keys, last])
}

function nameOf({ key, code, shiftKey }: KeyboardEvent): string {
  // On a keyboard of another script, a letter is the one that has this place on a Latin keyboard.
  const latin = /^\p{L}$/u.test(key) && !/\p{Script=Latin}/u.test(key) ? /^Key([A-Z])$/.exec(code)?.[1] : undefined
  const name = (latin ?? key).toLowerCase()
  return shiftKey && /^[a-z]$/.test(name) ? `shift+${name}` : name
}
