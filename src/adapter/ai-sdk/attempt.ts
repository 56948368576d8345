import { whenAborted } from '../../ports/signals.ts'
import { AnswerStopped, BROKEN_OFF } from './failure.ts'
import {
  type AiSdkLanguageModel,
  asStream,
  type SdkCallOptions,
  type SdkGenerated,
  type SdkReader,
  type SdkStreamPart,
} from './specification.ts'

/** Options of one attempt. */
export interface AttemptOptions {
  stream: boolean
  /** How long the model may send nothing. */
  silenceMs: number | undefined
}

/**
 * Asks a model once and yields what it sends. Ends when the signal fires or the model is silent for too long, even if
 * the model ignores the abort. Aborts the model when the consumer stops reading.
 */
export async function* attempt(
  model: AiSdkLanguageModel,
  options: SdkCallOptions,
  { stream, silenceMs }: AttemptOptions,
): AsyncGenerator<SdkStreamPart> {
  const stop = new AbortController()
  const { abortSignal: outer } = options
  const unlisten = whenAborted(outer, () => stop.abort(outer.reason))
  const patience = new Patience(stop, silenceMs)
  const call = { ...options, abortSignal: stop.signal } as never
  let reader: SdkReader | undefined
  let finished = false
  try {
    stop.signal.throwIfAborted()
    if (!stream) {
      const answer = (await patience.await(model.doGenerate(call))) as SdkGenerated
      finished = true
      yield* asStream(answer)
      return
    }
    reader = (await patience.await(model.doStream(call))).stream.getReader()
    for (;;) {
      const { done, value } = await patience.await(reader.read())
      if (done) break
      const part = value as SdkStreamPart
      finished ||= part.type === 'finish'
      yield part
    }
    reader = undefined
    if (!finished) throw new AnswerStopped(BROKEN_OFF, true)
  } finally {
    unlisten()
    if (!finished) stop.abort()
    // It may have failed already; it was aborted anyway.
    reader?.cancel().catch(() => undefined)
  }
}

/** Waits for a model until the signal fires or the model was silent for too long. */
class Patience {
  readonly #stop: AbortController
  readonly #silenceMs: number | undefined

  constructor(stop: AbortController, silenceMs: number | undefined) {
    this.#stop = stop
    this.#silenceMs = silenceMs
  }

  async await<T>(work: PromiseLike<T>): Promise<T> {
    const { signal } = this.#stop
    let timer: NodeJS.Timeout | undefined
    let unlisten: (() => void) | undefined
    const given = new Promise<never>((_resolve, reject) => {
      unlisten = whenAborted(signal, () => reject(signal.reason as Error))
      const ms = this.#silenceMs
      if (ms === undefined) return
      const silent = () =>
        this.#stop.abort(new AnswerStopped(`did not come: nothing was heard for ${ms / 1000} s`, true))
      timer = setTimeout(silent, ms)
    })
    try {
      return await Promise.race([work, given])
    } catch (error) {
      // The reason for the abort says more than the model's error about it.
      throw signal.aborted ? signal.reason : error
    } finally {
      clearTimeout(timer)
      unlisten?.()
    }
  }
}
