/** Filled in by its own change. */
export default function FiguresView() {
  return <main className="page" />
}
