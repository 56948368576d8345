import { SafeText } from '../card/values/safe-text.tsx'

interface DataTableProps {
  caption: string
  head: readonly string[]
  /** The first cell names its row, once. */
  rows: readonly (readonly [name: string, ...cells: string[]])[]
}

/** A table of figures. */
export function DataTable({ caption, head, rows }: DataTableProps) {
  return (
    <div className="data-scroll">
      <table className="data">
        <caption className="sr">{caption}</caption>
        <thead>
          <tr>
            {head.map((cell) => (
              <th key={cell} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells]) => (
            <tr key={name}>
              <th scope="row">
                <SafeText text={name} />
              </th>
              {cells.map((cell, at) => (
                <td key={head[at + 1]} className="num">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
