import { createContext, type ReactNode, use, useCallback, useState } from 'react'

const Context = createContext<(text: string) => void>(() => undefined)

/** Has a live region that says what happened, for people who do not see it. */
export function Announcer({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState({ text: '', turn: 0 })
  const say = useCallback((text: string) => setSaid(({ turn }) => ({ text, turn: turn + 1 })), [])
  return (
    <Context value={say}>
      {children}
      <div className="sr" role="status" aria-live="polite">
        {/* The key makes the same words be said again. */}
        <span key={said.turn}>{said.text}</span>
      </div>
    </Context>
  )
}

/** Says something to screen readers. */
export const useAnnounce = () => use(Context)
