import type { ReactNode } from 'react'

interface SectionProps {
  id?: string
  title: string
  note?: ReactNode
  children: ReactNode
}

/** A part of a card under its own heading. */
export function Section({ id, title, note, children }: SectionProps) {
  return (
    <section className="section" id={id}>
      <div className="section-head">
        <h2>{title}</h2>
        {note !== undefined && <span className="section-note">{note}</span>}
      </div>
      {children}
    </section>
  )
}
