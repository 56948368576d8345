/** Filled in by its own change. */
export default function DecisionsView() {
  return <main className="page" />
}
