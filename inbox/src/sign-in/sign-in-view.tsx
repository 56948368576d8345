/** Signs in with the code of the address, or asks for a token. Filled in by its own change. */
export default function SignInView({ onSignedIn }: { code?: string; onSignedIn: () => void }) {
  return (
    <main className="page">
      <button type="button" className="btn" onClick={onSignedIn}>
        Go on
      </button>
    </main>
  )
}
