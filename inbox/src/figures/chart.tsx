import type { ReactNode } from 'react'
import { useWords } from '../i18n/i18n.tsx'
import { words } from '../view/words.ts'

interface ChartProps {
  title: string
  text: string
  wide?: boolean
  table: ReactNode
  children: ReactNode
}

/** A chart with what it says in words, and the same figures as a table. */
export function Chart({ title, text, wide = false, table, children }: ChartProps) {
  const { asTable } = useWords(words)
  return (
    <section className="chart" data-wide={wide || undefined}>
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
      <details className="as-table">
        <summary>{asTable}</summary>
        {table}
      </details>
    </section>
  )
}
