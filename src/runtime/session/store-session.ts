import { commit } from '../../desk/record/commit.ts'
import type { Session, SessionItem } from '../../ports/session.ts'
import type { Store } from '../../ports/store.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import { SessionFailed, StoreBehind } from '../../protocol/errors/errors.ts'
import { parseThreadId } from '../../protocol/ids.ts'
import { cloneJson, type JsonValue } from '../../protocol/json/json.ts'
import { checkItems, newest, unknownItems } from './session-items.ts'

/**
 * A session in a store, shared by all processes that open it there. Its items are entries of a thread of its own, `session:<id>`. That journal is
 * append-only: removing items hides them and does not erase them.
 */
export function storeSession(options: { store: Store; sessionId: string }): Session {
  requireKnown('storeSession()', options, ['store', 'sessionId'])
  const held = new StoredItems(options.store, options.sessionId)
  return {
    getSessionId: async () => options.sessionId,
    getItems: async (limit) =>
      cloneJson(newest(await held.read(), limit) as unknown as JsonValue) as unknown as SessionItem[],
    addItems: async (items) => {
      const checked = checkItems(items)
      await held.write((present) => {
        const added = unknownItems(checked, present)
        return added.length > 0 ? { v: 1, type: 'session.added', items: added } : undefined
      })
    },
    popItem: async () => {
      let popped: SessionItem | undefined
      await held.write((present) => {
        popped = present.at(-1)
        return popped && { v: 1, type: 'session.popped' }
      })
      return popped
    },
    clearSession: () => held.write((present) => (present.length > 0 ? { v: 1, type: 'session.cleared' } : undefined)),
  }
}

/** The items of a session's thread, folded as far as they were read. */
class StoredItems {
  readonly #store: Store
  readonly #sessionId: string
  readonly #threadId: string
  #items: SessionItem[] = []
  #version = 0
  /** The head hash of the entries that were read. */
  #head: string | undefined

  constructor(store: Store, sessionId: string) {
    this.#store = store
    this.#sessionId = sessionId
    this.#threadId = parseThreadId(`session:${sessionId}`)
  }

  async read(): Promise<readonly SessionItem[]> {
    const [after, known] = [this.#version, this.#head]
    const { entries, version, head, follows } = await this.#store.read(this.#threadId, { after })
    if (version < after || (known !== undefined && follows !== known))
      throw new StoreBehind({ threadId: this.#threadId, expected: after, found: version })
    for (const { seq, body } of entries) {
      // Another call on this session may have read it meanwhile.
      if (seq <= this.#version) continue
      this.#apply(parseBody(body, { threadId: this.#threadId, seq }))
      this.#version = seq
    }
    if (version === this.#version) this.#head = head
    return this.#items
  }

  /** Plans on the newest items and appends on top of exactly those. Retries after each conflict. */
  async write(plan: (items: readonly SessionItem[]) => Entry | undefined): Promise<void> {
    await commit(`Session ${this.#sessionId}`, async () => {
      await this.read()
      // Nothing is awaited from here to the append, so the plan matches the version.
      const entry = plan(this.#items)
      if (!entry) return { done: undefined }
      const [version, head] = [this.#version, this.#head]
      const body = JSON.stringify(entry)
      const outcome = await this.#store.append({
        threadId: this.#threadId,
        version,
        ...(head === undefined ? {} : { head }),
        entries: [body],
      })
      if (!outcome.ok) return undefined
      // Another call on this session may have read it meanwhile.
      if (this.#version === version) {
        this.#apply(parseBody(body, { threadId: this.#threadId, seq: outcome.version }))
        this.#version = outcome.version
        this.#head = outcome.head
      }
      return { done: undefined }
    })
  }

  #apply(entry: Entry): void {
    switch (entry.type) {
      case 'session.added':
        this.#items.push(...entry.items)
        return
      case 'session.popped':
        this.#items.pop()
        return
      case 'session.cleared':
        this.#items = []
        return
      case 'erased':
        return
      default:
        throw new SessionFailed(this.#sessionId, `thread "${this.#threadId}" holds a run, not a session`)
    }
  }
}
