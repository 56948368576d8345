import type { ReactNode } from 'react'

/** The column of the request, with the bar that decides it at its foot. */
export function Pane({ children, bar }: { children: ReactNode; bar?: ReactNode }) {
  return (
    <div className="pane">
      <div className="pane-scroll" id="request" tabIndex={-1} data-quiet-focus>
        {children}
      </div>
      {bar}
    </div>
  )
}
