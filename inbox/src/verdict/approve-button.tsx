import { type PointerEvent as ReactPointerEvent, useEffect, useRef, useState } from 'react'
import { useInboxWords } from '../i18n/i18n.tsx'
import { Kbd } from '../keyboard/kbd.tsx'

interface ApproveProps {
  /** What it does, such as "Refund €120.00". */
  label: string
  /** Why it cannot be pressed yet, if it cannot. */
  disabled: boolean
  /** It was shown too short a time ago. It looks as always, and does nothing. */
  resting: boolean
  /** The next Enter approves. */
  armed?: boolean
  /** The keys that it shows. */
  keys?: readonly string[]
  onApprove: () => void
}

/** Approves with a click. */
export function ApproveButton({ label, disabled, resting, armed = false, keys = ['A'], onApprove }: ApproveProps) {
  const { verdict } = useInboxWords()
  return (
    <button
      type="button"
      id="approve"
      className="btn btn-go approve"
      data-armed={armed || undefined}
      data-resting={resting || undefined}
      aria-disabled={disabled || resting}
      aria-label={armed ? verdict.armed : verdict.approveName(label)}
      aria-describedby="verdict-note"
      title={label}
      onClick={() => {
        if (!disabled && !resting) onApprove()
      }}
    >
      <span className="approve-label">{armed ? verdict.armed : label}</span>
      <Kbd keys={armed ? ['↵'] : keys} />
    </button>
  )
}

const HOLD_MS = 1200

/** Approves when it was held for a while. A click alone does nothing. */
export function HoldButton({ label, disabled, resting, onApprove }: ApproveProps) {
  const { verdict } = useInboxWords()
  const [holding, setHolding] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const stop = () => {
    clearTimeout(timer.current)
    timer.current = undefined
    setHolding(false)
  }
  const start = () => {
    if (disabled || resting || timer.current !== undefined) return
    setHolding(true)
    timer.current = setTimeout(() => {
      stop()
      onApprove()
    }, HOLD_MS)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <button
      type="button"
      id="approve"
      className="btn btn-danger approve hold"
      data-holding={holding || undefined}
      data-resting={resting || undefined}
      aria-disabled={disabled || resting}
      aria-label={verdict.approveName(label)}
      aria-describedby="verdict-note hold-note"
      title={label}
      onPointerDown={(event: ReactPointerEvent) => {
        if (event.button === 0) start()
      }}
      onPointerUp={stop}
      onPointerLeave={stop}
      onPointerCancel={stop}
      onContextMenu={(event) => event.preventDefault()}
      onBlur={stop}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        if (!event.repeat) start()
      }}
      onKeyUp={stop}
    >
      <span className="hold-fill" />
      <span className="approve-label">{label}</span>
      <span className="hold-hint" aria-hidden="true">
        {verdict.hold}
      </span>
      <span className="sr" id="hold-note">
        {verdict.holdNote}
      </span>
    </button>
  )
}

/** Approves a call of high risk, once its gate is passed. */
export function DangerButton({ label, disabled, resting, onApprove }: ApproveProps) {
  const { verdict } = useInboxWords()
  return (
    <button
      type="button"
      id="approve"
      className="btn btn-danger approve"
      data-resting={resting || undefined}
      aria-disabled={disabled || resting}
      aria-label={verdict.approveName(label)}
      aria-describedby="verdict-note"
      title={label}
      onClick={() => {
        if (!disabled && !resting) onApprove()
      }}
    >
      <span className="approve-label">{label}</span>
    </button>
  )
}
