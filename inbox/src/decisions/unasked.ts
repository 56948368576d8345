/** A line of the audit export. */
export interface AuditEntry {
  thread: string
  seq: number
  at: string
  hash: string
  entry: unknown
}

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

/** Reads the journals and keeps the calls that nobody was asked about. */
export class UnaskedCalls {
  readonly #names = new Map<string, string>()
  readonly #judged = new Map<string, Stored>()
  readonly #found = new Map<string, UnaskedCall>()

  /** The calls that were found, the newest first. */
  get found(): UnaskedCall[] {
    return [...this.#found.values()].sort((a, b) => (a.at < b.at ? 1 : -1))
  }

  add(line: AuditEntry): void {
    const stored = (line.entry ?? {}) as Stored
    const key = `${line.thread}\n${String(stored.call)}`
    switch (stored.type) {
      case 'tool.defined':
        this.#names.set(`${line.thread}\n${String(stored.definition)}`, String(stored.name))
        return
      case 'call.judged':
        this.#judged.set(key, stored)
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

  #keep(line: AuditEntry, key: string, { kind, why }: Pick<UnaskedCall, 'kind' | 'why'>): void {
    const definition = this.#judged.get(key)?.definition
    const tool = this.#names.get(`${line.thread}\n${String(definition)}`) ?? ''
    this.#found.set(key, { key, kind, why, tool, thread: line.thread, at: line.at, hash: line.hash })
  }
}

function namesOf(policies: Stored['policies']): string {
  const counted = (policies ?? []).filter(({ shadow }) => shadow !== true)
  return counted.map(({ name }) => String(name)).join(', ')
}
