import { type ReactNode, useId } from 'react'

/** A part of the settings under its own heading. */
export function Group({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className="settings-group" aria-labelledby={id}>
      <div className="settings-head">
        <h2 id={id}>{title}</h2>
        {text !== undefined && <p className="quiet">{text}</p>}
      </div>
      <div className="settings-body">{children}</div>
    </section>
  )
}
