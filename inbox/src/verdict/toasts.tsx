import { type Deciding, useDecide } from 'holdpoint/react'
import { createContext, type ReactNode, use, useMemo, useState } from 'react'
import { useInboxWords } from '../i18n/i18n.tsx'
import { Kbd } from '../keyboard/kbd.tsx'
import { useKeys } from '../keyboard/use-keys.ts'
import { Ring } from '../queue/deadline.tsx'
import { useAnnounce } from '../shell/announcer.tsx'
import { Icon } from '../shell/icon.tsx'
import { undoneText } from './undone.ts'
import { useTick } from './use-tick.ts'

/** What was decided, and can still be undone. */
interface Toast {
  ids: readonly string[]
  text: string
  /** A call runs when the time is over. Otherwise only the agent is told. */
  runs: boolean
}

interface Toasts {
  add: (toast: Toast) => void
}

const Context = createContext<Toasts>({ add: () => undefined })

/** Adds a message about a decision that can be undone. */
export const useToasts = () => use(Context)

/** Shows the last decision for as long as it can be undone: above the verdict, never over it. */
export function ToastProvider({ children, onUndone }: { children: ReactNode; onUndone: (id: string) => void }) {
  const [toast, setToast] = useState<Toast>()
  const value = useMemo<Toasts>(() => ({ add: setToast }), [])
  return (
    <Context value={value}>
      {children}
      {toast && (
        <ToastView key={toast.ids.join()} toast={toast} onUndone={onUndone} onGone={() => setToast(undefined)} />
      )}
    </Context>
  )
}

function windowOf(deciding: Deciding, ids: readonly string[]): { until: number; ids: string[] } | undefined {
  const open = ids.flatMap((id) => {
    const state = deciding.of(id)
    return state.state === 'undoable' ? [{ id, until: state.until }] : []
  })
  return open.length === 0
    ? undefined
    : { until: Math.min(...open.map(({ until }) => until)), ids: open.map(({ id }) => id) }
}

function ToastView({ toast, onUndone, onGone }: { toast: Toast; onUndone: (id: string) => void; onGone: () => void }) {
  const { verdict } = useInboxWords()
  const deciding = useDecide()
  const announce = useAnnounce()
  const now = useTick()
  const [start] = useState(() => Date.now())
  const window = windowOf(deciding, toast.ids)
  const undo = async () => {
    if (!window) return
    const at = location.hash
    const states = await Promise.all(window.ids.map((id) => deciding.undo(id)))
    const failed = states.filter(({ state }) => state !== 'withdrawn').length
    const [first] = window.ids
    announce(undoneText(states, verdict))
    onGone()
    // Who went elsewhere meanwhile is not brought back.
    if (first !== undefined && failed < states.length && location.hash === at) onUndone(first)
  }
  useKeys(window ? { z: () => void undo() } : {})
  if (!window) return null
  const left = Math.max(0, window.until - now)
  const seconds = Math.ceil(left / 1000)
  return (
    <section className="toast" aria-label={verdict.toast.undo}>
      <span className="toast-ring">
        <Ring part={left / Math.max(1, window.until - start)} size={28} />
        <span className="num" aria-hidden="true">
          {seconds}
        </span>
        <span className="sr">{verdict.toast.seconds(seconds)}</span>
      </span>
      <div className="toast-text">
        <strong>{toast.text}</strong>
        <p>{toast.runs ? verdict.toast.runs : verdict.toast.tells}</p>
      </div>
      <button type="button" className="btn btn-small" onClick={() => void undo()}>
        <Icon name="undo" />
        {verdict.toast.undo}
        <Kbd keys={['Z']} />
      </button>
    </section>
  )
}
