import { InputInvalid } from '../../protocol/errors/errors.ts'
import type { BodyRecord } from './body-record.ts'

/** A step without an end. It marks that a body began that must not be entered again. */
const BODY = 'holdpoint:body'

/** The steps of one tool body. Each has a name of its own. */
export class BodySteps {
  readonly #record: BodyRecord
  readonly #names = new Set([BODY])

  constructor(record: BodyRecord) {
    this.#record = record
  }

  /**
   * Marks the body as begun. A call that waited in a hook may be entered again. If its body must not be, the mark makes a crash from here on leave an
   * unknown outcome.
   */
  async markBegun(): Promise<void> {
    const { call, tool } = this.#record.started
    const known = this.#record.call
    if (tool.resumable || !known || known.waits.length === 0 || known.steps.has(BODY)) return
    await this.#record.append({ v: 1, type: 'step.started', call: call.key, name: BODY })
  }

  /** Runs work once. Its result is recorded, and returned without running it again when the body is entered again. */
  async step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const record = this.#record
    if (record.ended) throw record.ended
    const { call, tool } = record.started
    if (!tool.resumable)
      throw record.misused(new InputInvalid(`ctx.step needs tool "${tool.name}" to be marked resumable.`))
    if (this.#names.has(name))
      throw record.misused(new InputInvalid(`Tool "${tool.name}" has two steps named "${name}".`))
    this.#names.add(name)
    const recorded = record.call?.steps.get(name)
    if (recorded) return recorded.value as T
    await record.append({ v: 1, type: 'step.started', call: call.key, name })
    await record.requireLease()
    const value = await work()
    const plain = value === undefined ? {} : { value: record.plain(value, `the result of step "${name}"`) }
    await record.append({ v: 1, type: 'step.finished', call: call.key, name, ...plain })
    return value
  }
}
