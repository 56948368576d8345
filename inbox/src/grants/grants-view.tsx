/** Filled in by its own change. */
export default function GrantsView() {
  return <main className="page" />
}
