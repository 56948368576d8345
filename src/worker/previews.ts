import type { BoundPolicy } from '../policy/compose.ts'
import { type Clock, pause, ticks } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { previewJudged, toPreviewResult } from '../runtime/answers/preview-edit.ts'
import type { AgentDefinition } from '../runtime/definition/definition.ts'
import type { WorkerListener } from './events.ts'
import {
  type AskedPreview,
  answerPreview,
  askedPreviews,
  PREVIEW_MS,
  type PreviewSaid,
  takePreview,
} from './shared/preview-records.ts'

/** What previews work with. */
export interface PreviewsParts {
  readonly store: Store
  /** By route. */
  readonly agents: ReadonlyMap<string, AgentDefinition>
  readonly policies: readonly BoundPolicy[]
  readonly deps: unknown
  readonly everyMs: number
  readonly clock: Clock | undefined
  readonly onEvent: WorkerListener
}

/** How many edits are previewed here at once. Others are left to other workers. */
const MOST = 16
/** How many of them are of one tenant, so that a tenant whose previews are slow or many leaves room for others. */
const MOST_OF_TENANT = 8
/** Somebody who edits asks again soon: for this long it looks more often. */
const BUSY_MS = 20_000
const SOON_MS = 100

/**
 * Says what edits would do, for gateways that do not have the agents. It validates and judges each edit and reads its preview; bodies of tools are never
 * started, and nothing is written to a journal. It needs no slot of the worker and no lease.
 */
export class Previews {
  readonly #parts: PreviewsParts
  /** What is under way, and the tenant that it is for. */
  readonly #running = new Map<Promise<void>, string>()

  constructor(parts: PreviewsParts) {
    this.#parts = parts
  }

  /** Answers until the signal fires. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, everyMs, onEvent } = this.#parts
    let busyUntil = Number.NEGATIVE_INFINITY
    while (!signal.aborted) {
      try {
        if ((await this.#look()) > 0) busyUntil = ticks(clock) + BUSY_MS
      } catch (error) {
        onEvent({ type: 'error', what: 'previews of edits cannot be read', error })
      }
      const ms = ticks(clock) < busyUntil ? Math.min(SOON_MS, everyMs) : everyMs
      if (!signal.aborted) await pause(ms, { signal, clock })
    }
    await Promise.all(this.#running.keys())
  }

  /** Takes what it can preview, of each tenant in turn. Returns how many those are. */
  async #look(): Promise<number> {
    const { store, agents } = this.#parts
    const own = (await askedPreviews(store)).filter(({ route }) => agents.has(route))
    const left = new Set(own)
    while (this.#running.size < MOST) {
      const asked = this.#fairest(left)
      if (!asked) break
      left.delete(asked)
      const work = this.#preview(asked).finally(() => this.#running.delete(work))
      this.#running.set(work, asked.tenantId)
    }
    return own.length
  }

  /** The oldest question of the tenant that has the fewest under way here. */
  #fairest(left: ReadonlySet<AskedPreview>): AskedPreview | undefined {
    const counts = new Map<string, number>()
    for (const tenantId of this.#running.values()) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1)
    let [fairest, fewest]: [AskedPreview | undefined, number] = [undefined, MOST_OF_TENANT]
    for (const asked of left) {
      const count = counts.get(asked.tenantId) ?? 0
      if (count < fewest) [fairest, fewest] = [asked, count]
    }
    return fairest
  }

  async #preview(asked: AskedPreview): Promise<void> {
    const { store, onEvent } = this.#parts
    try {
      const edit = await takePreview(store, asked)
      if (!edit) return
      const records = store.tenant(asked.tenantId)
      const answer = await this.#say(asked, edit)
      await answerPreview(records, asked.id, answer)
    } catch (error) {
      onEvent({ type: 'error', what: 'a preview of an edit could not be answered', error })
    }
  }

  async #say({ tenantId, route }: AskedPreview, edit: Parameters<typeof previewJudged>[1]): Promise<PreviewSaid> {
    const { store, agents, policies, deps, clock, onEvent } = this.#parts
    const agent = agents.get(route)
    if (!agent) return { kind: 'failed' }
    const over = new AbortController()
    const work = previewJudged({ agent, policies }, edit, { store: store.tenant(tenantId), deps }).then(
      (shown): PreviewSaid => ({ kind: 'shown', result: toPreviewResult(shown) }),
      (error: unknown): PreviewSaid => {
        onEvent({ type: 'error', what: 'a preview of an edit failed', error })
        return { kind: 'failed' }
      },
    )
    const late = pause(PREVIEW_MS, { signal: over.signal, clock }).then((): PreviewSaid => ({ kind: 'late' }))
    const answer = await Promise.race([work, late])
    over.abort()
    return answer
  }
}
