import type { AuditLine } from 'holdpoint/client'

/** A call that ran or was refused without a person. */
export interface UnaskedCall {
  key: string
  kind: 'grant' | 'policy' | 'deny' | 'grant-refused'
  thread: string
  tool: string
  at: string
  hash: string
  /** The grant, the reason of the refusal, or the policies that let it through. */
  why: string
}

interface Stored {
  type?: unknown
  call?: unknown
  definition?: unknown
  name?: unknown
  request?: unknown
  verdict?: { kind?: unknown; reason?: unknown }
  policies?: { name?: unknown; verdict?: unknown; shadow?: unknown }[]
  by?: { kind?: unknown; id?: unknown }
}

type Found = Omit<UnaskedCall, 'tool'> & { definition: string }

/** Reads the journals and keeps the calls that nobody was asked about. */
export class UnaskedCalls {
  /** Names of tools, by thread and definition. */
  readonly #names = new Map<string, string>()
  readonly #definitions = new Map<string, string>()
  readonly #found = new Map<string, Found>()

  /** The calls that were found, the newest first. */
  get found(): UnaskedCall[] {
    const found = [...this.#found.values()].sort((a, b) => (a.at < b.at ? 1 : -1))
    return found.map(({ definition, ...call }) => ({ ...call, tool: this.#names.get(definition) ?? '' }))
  }

  /** Threads whose tools have no name yet. */
  get unnamed(): string[] {
    const found = [...this.#found.values()].filter(({ definition }) => !this.#names.has(definition))
    return [...new Set(found.map(({ thread }) => thread))]
  }

  /** Takes the name of a tool from an entry, if it has one. */
  define(thread: string, entry: unknown): void {
    const { type, definition, name } = (entry ?? {}) as Stored
    if (type === 'tool.defined') this.#names.set(`${thread}\n${String(definition)}`, String(name))
  }

  add(line: AuditLine): void {
    const stored = (line.entry ?? {}) as Stored
    const key = `${line.thread}\n${String(stored.call)}`
    switch (stored.type) {
      case 'tool.defined':
        return this.define(line.thread, line.entry)
      case 'call.judged':
        this.#definitions.set(key, `${line.thread}\n${String(stored.definition)}`)
        if (stored.verdict?.kind === 'allow') this.#keep(line, key, { kind: 'policy', why: namesOf(stored.policies) })
        if (stored.verdict?.kind === 'deny')
          this.#keep(line, key, { kind: 'deny', why: String(stored.verdict.reason ?? '') })
        return
      case 'call.released':
        if (stored.by?.kind === 'grant') this.#keep(line, key, { kind: 'grant', why: String(stored.by.id) })
        return
      case 'call.refused':
        if (stored.by?.kind === 'grant') this.#keep(line, key, { kind: 'grant-refused', why: String(stored.by.id) })
        return
      case 'request.opened':
        // Somebody was asked after all.
        this.#found.delete(key)
        return
      default:
        return
    }
  }

  #keep(line: AuditLine, key: string, { kind, why }: Pick<UnaskedCall, 'kind' | 'why'>): void {
    const definition = this.#definitions.get(key) ?? key
    this.#found.set(key, { key, kind, why, definition, thread: line.thread, at: line.at, hash: line.hash })
  }
}

function namesOf(policies: Stored['policies']): string {
  const counted = (policies ?? []).filter(({ shadow }) => shadow !== true)
  return counted.map(({ name }) => String(name)).join(', ')
}
