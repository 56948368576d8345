import type { ToolDefinition } from './digest.ts'

/** A definition that somebody keeps anyway: that of an agent's tool. */
interface KeptDefinition {
  readonly fingerprint: string
  readonly definition: ToolDefinition
}

/**
 * The tool definitions of a thread, by fingerprint. They are kept as JSON: only edits look at one, and as objects they would be a large part of a
 * thread that waits.
 */
export class Definitions implements Iterable<[fingerprint: string, json: string]> {
  /** As JSON, or as the object that somebody else keeps. */
  #known: Map<string, string | ToolDefinition>

  constructor(texts: Iterable<readonly [fingerprint: string, json: string]> = []) {
    this.#known = new Map(texts)
  }

  has(fingerprint: string): boolean {
    return this.#known.has(fingerprint)
  }

  /** Parses a definition. */
  get(fingerprint: string): ToolDefinition | undefined {
    const known = this.#known.get(fingerprint)
    return known === undefined ? undefined : (JSON.parse(textOf(known)) as ToolDefinition)
  }

  add(fingerprint: string, definition: ToolDefinition): void {
    this.#known.set(fingerprint, textOf(definition))
  }

  /** Lets go of the texts of definitions that these tools keep. The fingerprint says that they are the same. */
  share(tools: readonly KeptDefinition[]): void {
    const known = new Map<string, string | ToolDefinition>()
    for (const [fingerprint, own] of this.#known) {
      const tool = tools.find((one) => one.fingerprint === fingerprint)
      known.set(tool?.fingerprint ?? fingerprint, tool?.definition ?? own)
    }
    this.#known = known
  }

  copy(): Definitions {
    return new Definitions(this)
  }

  *[Symbol.iterator](): IterableIterator<[fingerprint: string, json: string]> {
    for (const [fingerprint, known] of this.#known) yield [fingerprint, textOf(known)]
  }
}

function textOf(known: string | ToolDefinition): string {
  if (typeof known === 'string') return known
  const { name, description, parameters, annotations } = known
  return JSON.stringify({ name, description, parameters, annotations })
}
