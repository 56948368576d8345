import { Component, type ReactNode } from 'react'
import { useInboxWords } from '../i18n/i18n.tsx'

/** Keeps the page when one view fails, for example because its code did not load. */
export class Boundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    return this.state.failed ? <ViewFailed onAgain={() => location.reload()} /> : this.props.children
  }
}

/** Says that a view did not load, and tries again. */
export function ViewFailed({ onAgain }: { onAgain: () => void }) {
  const { shell } = useInboxWords()
  return (
    <main className="page" role="alert">
      <p>{shell.viewFailed}</p>
      <button type="button" className="btn" onClick={onAgain}>
        {shell.reload}
      </button>
    </main>
  )
}
