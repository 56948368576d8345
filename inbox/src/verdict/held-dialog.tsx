import { isAbsent, useClient, useDecide } from 'holdpoint/react'
import { useEffect, useState } from 'react'
import { useNow } from '../app/clock.tsx'
import { SafeText } from '../card/values/safe-text.tsx'
import { useInboxWords } from '../i18n/i18n.tsx'
import { useAnnounce } from '../shell/announcer.tsx'
import { Dialog } from '../shell/dialog.tsx'
import { type HeldState, type HeldVerdict, heldOf, heldState, type Latest } from './held.ts'
import { useToasts } from './toasts.tsx'
import { sentAs } from './use-send.ts'

/** Shows the decisions that were kept while there was no connection. Nothing is sent before the person presses. */
export default function HeldDialog({ onClose }: { onClose: () => void }) {
  const {
    verdict: { offline },
  } = useInboxWords()
  const deciding = useDecide()
  const announce = useAnnounce()
  const toasts = useToasts()
  const now = useNow()
  const held = heldOf(deciding.all)
  const latest = useLatest(held)
  const states = new Map(held.map((each) => [each.request.id, heldState(each, latest.get(each.request.id), now)]))
  const ready = held.filter(({ request }) => states.get(request.id) === 'ready')
  const sendAll = async () => {
    const results = await Promise.all(ready.map(({ request }) => deciding.sendHeld(request.id)))
    const sent = results.filter(({ state }) => state === 'undoable' || state === 'done').length
    const undoable = results.flatMap((result) => (result.state === 'undoable' ? [result.request.id] : []))
    if (undoable.length > 0) toasts.add({ ids: undoable, text: offline.sent(undoable.length), runs: true })
    announce(sent === results.length ? offline.sent(sent) : offline.notSent(results.length - sent))
    onClose()
  }
  return (
    <Dialog title={offline.dialog} narrow onClose={onClose}>
      <ul className="check-list">
        {held.map((each) => (
          <HeldLine
            key={each.request.id}
            held={each}
            state={states.get(each.request.id) ?? 'checking'}
            onDrop={() => deciding.discard(each.request.id)}
          />
        ))}
      </ul>
      <p className="quiet">{offline.text}</p>
      <div className="dialog-acts">
        <button type="button" className="btn" onClick={onClose}>
          {offline.later}
        </button>
        <button
          type="button"
          className="btn btn-go"
          aria-disabled={ready.length === 0}
          onClick={() => ready.length > 0 && void sendAll()}
        >
          {offline.sendAll(ready.length)}
        </button>
      </div>
    </Dialog>
  )
}

function HeldLine({ held, state, onDrop }: { held: HeldVerdict; state: HeldState; onDrop: () => void }) {
  const { verdict } = useInboxWords()
  const { request, verdict: kept } = held
  return (
    <li>
      <span className="check-what">
        <strong>
          <SafeText text={verdict.toast[sentAs(kept)](request.title)} />
        </strong>
        <span className={state === 'ready' ? 'quiet' : 'warn-text'}>{verdict.offline[state]}</span>
      </span>
      <button type="button" className="btn btn-small" onClick={onDrop}>
        {verdict.offline.drop}
      </button>
    </li>
  )
}

/** The requests of kept decisions as they are now. */
function useLatest(held: readonly HeldVerdict[]): ReadonlyMap<string, Latest> {
  const client = useClient()
  const [latest, setLatest] = useState<ReadonlyMap<string, Latest>>(new Map())
  const ids = held.map(({ request }) => request.id).join(' ')
  useEffect(() => {
    const gone = new AbortController()
    const look = async (id: string) => {
      try {
        const { request } = await client.request(id, { signal: gone.signal })
        setLatest((before) => new Map(before).set(id, request))
      } catch (error) {
        // Without a connection the decision stays as it is.
        if (!gone.signal.aborted && isAbsent(error)) setLatest((before) => new Map(before).set(id, 'absent'))
      }
    }
    for (const id of ids.split(' ').filter(Boolean)) void look(id)
    return () => gone.abort()
  }, [client, ids])
  return latest
}
