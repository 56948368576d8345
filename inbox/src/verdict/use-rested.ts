import { useEffect, useState } from 'react'

const REST_MS = 400

/** Whether a card has been on the screen long enough: a click or a key that was meant for the one before must not decide this one. */
export function useRested(shown: string): boolean {
  const [rested, setRested] = useState<string>()
  useEffect(() => {
    const timer = setTimeout(() => setRested(shown), REST_MS)
    return () => clearTimeout(timer)
  }, [shown])
  return rested === shown
}
