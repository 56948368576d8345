import type { ToolDefinition } from './digest.ts'

/**
 * The tool definitions of a thread, by fingerprint. They are kept as JSON: only edits look at one, and as objects they would be a large part of a
 * thread that waits.
 */
export class Definitions implements Iterable<[fingerprint: string, json: string]> {
  readonly #texts: Map<string, string>

  constructor(texts: Iterable<readonly [fingerprint: string, json: string]> = []) {
    this.#texts = new Map(texts)
  }

  has(fingerprint: string): boolean {
    return this.#texts.has(fingerprint)
  }

  /** Parses a definition. */
  get(fingerprint: string): ToolDefinition | undefined {
    const text = this.#texts.get(fingerprint)
    return text === undefined ? undefined : (JSON.parse(text) as ToolDefinition)
  }

  add(fingerprint: string, { name, description, parameters, annotations }: ToolDefinition): void {
    this.#texts.set(fingerprint, JSON.stringify({ name, description, parameters, annotations }))
  }

  copy(): Definitions {
    return new Definitions(this.#texts)
  }

  [Symbol.iterator](): IterableIterator<[fingerprint: string, json: string]> {
    return this.#texts[Symbol.iterator]()
  }
}
