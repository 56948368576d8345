import { useEffect, useState } from 'react'

/** This device's time, four times a second: what the hooks count undo windows by. */
export function useTick(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  return now
}
