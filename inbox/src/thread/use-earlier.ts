import type { ThreadView } from 'holdpoint/react'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** What was in view before earlier steps came. */
interface Place {
  /** The key of the first step. */
  first: string | undefined
  /** How far its end is from the top of the window. */
  rest: number
  /** The reader pressed the button. */
  pressed: boolean
}

interface Earlier {
  list: RefObject<HTMLOListElement | null>
  button: RefObject<HTMLButtonElement | null>
  /** How many steps came last. */
  added: number
  show: () => void
}

/**
 * Shows earlier steps and keeps the reader's place: what was read stays where it is, and the steps before it are above. Who presses the button gets the
 * nearest of them. From then on, scrolling up to the button is enough.
 */
export function useEarlier({ earlier, showEarlier }: ThreadView, keys: readonly string[]): Earlier {
  const list = useRef<HTMLOListElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const place = useRef<Place>(undefined)
  const [added, setAdded] = useState(0)
  const show = (pressed: boolean) => {
    const page = list.current?.closest('.page')
    if (!page || earlier === 'loading') return
    place.current = { first: keys[0], rest: page.scrollHeight - page.scrollTop, pressed }
    void showEarlier()
  }

  useLayoutEffect(() => {
    const { first, rest, pressed } = place.current ?? { rest: 0 }
    const count = first === undefined ? 0 : keys.indexOf(first)
    const page = list.current?.closest('.page')
    if (count <= 0 || !page) return
    place.current = undefined
    page.scrollTop = page.scrollHeight - rest
    if (pressed) list.current?.children[count - 1]?.querySelector<HTMLElement>('.step-body')?.focus()
    setAdded(count)
  }, [keys])

  useEffect(() => {
    const target = button.current
    if (!target || earlier !== 'more' || added === 0) return
    const watch = new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && show(false))
    watch.observe(target)
    return () => watch.disconnect()
  })

  return { list, button, added, show: () => show(true) }
}
