import { useEffect } from 'react'
import { TYPING } from './typing.ts'

/** Who has paused this long has seen that the field is gone. */
const PAUSE_MS = 1000

/**
 * Somebody else may decide a request while a person types about it, and the field goes away between two letters. The letters that follow are still meant
 * for it, and do nothing: as keys of the page they would go to another request and decide there.
 */
export function useStrayKeys(): void {
  useEffect(() => {
    let typed: { field: Element; at: number } | undefined
    const onKey = (event: KeyboardEvent) => {
      const field = event.target instanceof Element ? event.target.closest(TYPING) : null
      if (field) typed = leaves(event, field) ? undefined : { field, at: event.timeStamp }
      else if (typed && writes(event) && !typed.field.isConnected && event.timeStamp - typed.at < PAUSE_MS) {
        typed.at = event.timeStamp
        event.preventDefault()
      }
    }
    const onPointer = () => {
      typed = undefined
    }
    addEventListener('keydown', onKey, { capture: true })
    addEventListener('pointerdown', onPointer, { capture: true })
    return () => {
      removeEventListener('keydown', onKey, { capture: true })
      removeEventListener('pointerdown', onPointer, { capture: true })
    }
  }, [])
}

/** Whether a person leaves a field, or sends what is in it, with this key. */
function leaves({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, field: Element): boolean {
  if (key === 'Enter' && field instanceof HTMLInputElement) return true
  return ctrlKey || metaKey || altKey || key === 'Escape' || key === 'Tab'
}

/** Whether a key can be one that somebody types on with, and not one of the browser or of the system. */
function writes({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return !ctrlKey && !metaKey && !altKey && !/^(F\d+|Shift|Control|Alt|Meta)$/.test(key)
}
