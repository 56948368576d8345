import { type ReactNode, useEffect, useRef } from 'react'
import './view.css'

interface ViewProps {
  title: ReactNode
  text?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}

/** A view of its own under the top bar. Its heading gets the focus when the view opens, so that nobody loses their place. */
export function View({ title, text, actions, children }: ViewProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const { activeElement } = document
    if (activeElement === null || activeElement === document.body) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <main className="page" id="main">
      <div className="page-head">
        <div className="page-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {text !== undefined && <p>{text}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </main>
  )
}
