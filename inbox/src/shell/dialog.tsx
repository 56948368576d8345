import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useInboxWords } from '../i18n/i18n.tsx'
import { Icon } from './icon.tsx'

interface DialogProps {
  title: string
  narrow?: boolean
  onClose: () => void
  children: ReactNode
}

/** A modal dialog. Focus goes back to where it was when it closes. */
export function Dialog({ title, narrow = false, onClose, children }: DialogProps) {
  const { shell } = useInboxWords()
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const back = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (back instanceof HTMLElement) back.focus({ preventScroll: true })
    }
  }, [])
  return (
    <dialog ref={dialog} className="dialog" data-narrow={narrow || undefined} aria-labelledby={id} onClose={onClose}>
      <div className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="icon-btn" aria-label={shell.close} onClick={() => dialog.current?.close()}>
          <Icon name="x" />
        </button>
      </div>
      {children}
    </dialog>
  )
}
