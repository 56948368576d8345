import type { Me } from 'holdpoint/client'
import { useCounts, useDecide, useRequest } from 'holdpoint/react'
import { useCallback, useMemo, useRef, useState } from 'react'
import { pick } from '../bulk/selection.ts'
import type { Place } from '../card/card-head.tsx'
import { RequestPane } from '../card/pane/request-pane.tsx'
import { useFormat } from '../i18n/i18n.tsx'
import { useKeys } from '../keyboard/use-keys.ts'
import { Empty, NothingChosen } from '../queue/empty.tsx'
import type { QueueFilter } from '../queue/filters.ts'
import { neighbour } from '../queue/order.ts'
import { QueuePane } from '../queue/queue.tsx'
import { type Queue, useQueue } from '../queue/use-queue.ts'
import { heldOf } from '../verdict/held.ts'
import { usePreferences } from './preferences.tsx'
import { useNarrow, useRoomy } from './use-narrow.ts'
import { go, routeNow } from './use-route.ts'

/** The inbox: what waits, the request that is being read, and its context. `named` is the request that the address names. */
export function InboxView({ named, me }: { named: string | undefined; me: Me }) {
  const [filter, setFilter] = useState<QueueFilter>({ base: 'all', text: '' })
  const queue = useQueue(filter)
  const counts = useCounts().data
  const deciding = useDecide()
  const narrow = useNarrow()
  const id = useCurrent(queue, { named, narrow })
  const context = useContextPanel(narrow)
  const search = useRef<HTMLInputElement>(null)
  const selection = useSelection(queue, id)
  const steps = useSteps(queue, { id, named, narrow })
  const { number } = useFormat()
  useKeys({
    '/': () => search.current?.focus(),
    j: () => steps.step(1),
    k: () => steps.step(-1),
    x: () => id !== undefined && selection.pick(id, { to: false }),
    'shift+x': () => id !== undefined && selection.pick(id, { to: true }),
    ']': context.toggle,
  })
  useKeys({ escape: () => selection.picked.size > 0 && selection.clear() }, { last: true })
  const idle = queue.state === 'ready' && queue.arranged.ids.length === 0 && filter.base === 'all' && filter.text === ''
  if (idle && id === undefined)
    return (
      <main className="desk desk-empty">
        <Empty />
      </main>
    )
  const place: Place = {
    at: id === undefined ? 0 : queue.arranged.ids.indexOf(id) + 1,
    of: number(queue.arranged.ids.length),
    onStep: steps.step,
    context: context.shown,
    onContext: context.toggle,
  }
  return (
    <main className="desk" data-context={context.shown || undefined}>
      {!(narrow && id !== undefined) && (
        <QueuePane
          queue={queue}
          filter={filter}
          onFilter={setFilter}
          counts={counts}
          current={id}
          picked={selection.picked}
          onPick={selection.pick}
          onClear={selection.clear}
          held={new Set(heldOf(deciding.all).map(({ request }) => request.id))}
          me={me.id}
          search={search}
        />
      )}
      {steps.ahead.map((next) => (
        <Ahead key={next} id={next} />
      ))}
      {id !== undefined ? (
        <RequestPane
          key={id}
          id={id}
          me={me}
          known={queue.rows.get(id)?.request}
          place={place}
          focus={steps.moved}
          context={narrow ? 'below' : context.shown ? 'beside' : 'none'}
          onDecided={steps.decided}
        />
      ) : (
        !narrow && <NothingChosen />
      )}
    </main>
  )
}

/**
 * The request that is being read. On a wide screen something is always open: without a name in the address the first one, and it stays that one
 * whatever comes before it. The address changes only when a person goes somewhere.
 */
function useCurrent({ arranged, rows }: Queue, { named, narrow }: Omit<Reading, 'id'>): string | undefined {
  const [opened, setOpened] = useState<string>()
  const first = arranged.ids.find((id) => rows.get(id)?.state === 'waiting')
  const kept = named === undefined && !narrow ? (opened ?? first) : undefined
  if (kept !== opened) setOpened(kept)
  return named ?? kept
}

/** Loads a request that is likely to be read next: stepping to it is instant, and it can be read offline. */
function Ahead({ id }: { id: string }) {
  useRequest(id)
  return null
}

function useContextPanel(narrow: boolean): { shown: boolean; toggle: () => void } {
  const [{ context }, change] = usePreferences()
  const roomy = useRoomy()
  // On a middling screen the context takes the place of the queue, so it is opened each time on purpose.
  const [open, setOpen] = useState(false)
  const shown = !narrow && (roomy ? context : open)
  return { shown, toggle: () => (roomy ? change({ context: !context }) : setOpen(!open)) }
}

function useSelection(queue: Queue, current: string | undefined) {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string>(undefined)
  const { arranged, rows } = queue
  const waits = useCallback((id: string) => rows.get(id)?.state === 'waiting', [rows])
  const onPick = useCallback(
    (id: string, { to }: { to: boolean }) => {
      const from = to ? (last.current ?? current) : undefined
      last.current = id
      setPicked((before) => new Set([...pick(before, id, { order: arranged.ids.filter(waits), from })].filter(waits)))
    },
    [arranged, waits, current],
  )
  const clear = useCallback((ids?: readonly string[]) => {
    setPicked((before) => (ids === undefined ? new Set() : new Set([...before].filter((id) => !ids.includes(id)))))
  }, [])
  const shown = useMemo(() => new Set([...picked].filter(waits)), [picked, waits])
  return { picked: shown, pick: onPick, clear }
}

interface Reading {
  /** The request that is being read. */
  id: string | undefined
  /** The request that the address names. */
  named: string | undefined
  narrow: boolean
}

/** Moves through the queue. `moved`: the person came here by a step, so the heading takes the focus. */
function useSteps(queue: Queue, { id, named, narrow }: Reading) {
  const { arranged } = queue
  const [moved, setMoved] = useState(false)
  // A decision may take a while to be stored. What comes next is read from the queue as it is then.
  const latest = useRef(queue)
  latest.current = queue
  const waits = (each: string) => latest.current.rows.get(each)?.state === 'waiting'
  const open = (next: string | undefined) => {
    if (next === undefined) return
    setMoved(true)
    go({ view: 'inbox', id: next })
  }
  const next = neighbour(arranged, id, { step: 1, open: waits })
  const afterNext = next === undefined ? undefined : neighbour(arranged, next, { step: 1, open: waits })
  return {
    moved,
    ahead: [next, afterNext].filter((each) => each !== undefined),
    step: (step: 1 | -1) => open(neighbour(arranged, id, { step, open: waits })),
    decided: (done: string) => {
      if (!isAt(named)) return
      const next = neighbour(latest.current.arranged, done, {
        step: 1,
        open: (each) => each !== done && waits(each),
        turn: true,
      })
      if (next !== undefined) open(next)
      else if (narrow) go({ view: 'inbox' })
    },
  }
}

/** Whether the address is still the same. Nobody who went elsewhere meanwhile is brought back. */
function isAt(named: string | undefined): boolean {
  const route = routeNow()
  return route.view === 'inbox' && route.id === named
}
