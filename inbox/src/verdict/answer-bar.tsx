import { visible } from '../../../src/core/display/visible.ts'
import { useInboxWords } from '../i18n/i18n.tsx'
import { Kbd } from '../keyboard/kbd.tsx'
import { useKeys } from '../keyboard/use-keys.ts'
import { Icon } from '../shell/icon.tsx'
import { Bar, useArmed } from './verdict-bar.tsx'

interface ConfirmBarProps {
  prompt: string
  offline: boolean
  resting: boolean
  sending: boolean
  onAnswer: (yes: boolean) => void
}

/** Answers a question with yes or no. */
export function ConfirmBar({ prompt, offline, resting, sending, onAnswer }: ConfirmBarProps) {
  const { verdict } = useInboxWords()
  const possible = !resting && !sending
  const armed = useArmed(possible, { a: () => onAnswer(true), r: () => onAnswer(false) })
  const [yes, no] = [armed === 'a', armed === 'r']
  return (
    <Bar note={offline ? verdict.offlineNote : verdict.confirmNote}>
      <button
        type="button"
        className="btn"
        data-armed={no || undefined}
        data-resting={resting || undefined}
        aria-disabled={!possible}
        aria-label={no ? verdict.armed : verdict.noName(visible(prompt))}
        onClick={() => possible && onAnswer(false)}
      >
        {no ? verdict.armed : verdict.no}
        <Kbd keys={[no ? '↵' : 'R']} />
      </button>
      <button
        type="button"
        className="btn btn-go approve"
        data-armed={yes || undefined}
        data-resting={resting || undefined}
        aria-disabled={!possible}
        aria-label={yes ? verdict.armed : verdict.yesName(visible(prompt))}
        onClick={() => possible && onAnswer(true)}
      >
        {sending ? verdict.sending : yes ? verdict.armed : verdict.yes}
        <Kbd keys={[yes ? '↵' : 'A']} />
      </button>
    </Bar>
  )
}

interface AskBarProps {
  missing: number
  offline: boolean
  resting: boolean
  sending: boolean
  onSend: () => void
  /** The person cannot answer. */
  onNo: () => void
}

/** Sends the answers of a form, or says why there are none. */
export function AskBar({ missing, offline, resting, sending, onSend, onNo }: AskBarProps) {
  const { verdict } = useInboxWords()
  useKeys({ r: () => !resting && !sending && onNo() })
  const disabled = missing > 0 || sending
  return (
    <Bar note={missing > 0 ? verdict.askMissing(missing) : offline ? verdict.offlineNote : verdict.askNote}>
      <button
        type="button"
        className="btn btn-no"
        data-resting={resting || undefined}
        aria-disabled={resting || sending}
        onClick={() => !resting && !sending && onNo()}
      >
        <Icon name="x" />
        {verdict.askNo}
        <Kbd keys={['R']} />
      </button>
      <button
        type="button"
        className="btn btn-go approve"
        data-resting={resting || undefined}
        aria-disabled={disabled || resting}
        onClick={() => !disabled && !resting && onSend()}
      >
        {sending ? verdict.sending : verdict.askGo}
        <Kbd keys={['⌘', '↵']} />
      </button>
    </Bar>
  )
}
