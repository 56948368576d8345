/** Filled in by its own change. */
export default function ThreadView({ id }: { id: string }) {
  return (
    <main className="page">
      <h1>{id}</h1>
    </main>
  )
}
