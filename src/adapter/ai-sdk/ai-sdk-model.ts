import { sleep } from '../../ports/clock.ts'
import type { Model, ModelPart, ModelRequest } from '../../ports/model.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { AnswerReader } from './answer-reader.ts'
import { attempt } from './attempt.ts'
import { askedDelayMs, mayPass, toModelFailed } from './failure.ts'
import { type AiSdkModelOptions, checkOptions, toCallOptions } from './options.ts'
import { toPrompt } from './prompt.ts'
import type { AiSdkLanguageModel, SdkVersion } from './specification.ts'

/** The longest own retry delay, and the longest `retry-after` that is waited for. Beyond that, resume the run later. */
const LONGEST_OWN_MS = 30_000
const LONGEST_ASKED_MS = 60_000

/**
 * Makes a language model of the AI SDK (specification 2, 3 or 4) an agent's model. A transient failure is retried, but
 * only while nothing of the answer was shown. Any other failure is `ModelFailed`, and resuming the run asks again.
 */
export function aiSdkModel(languageModel: AiSdkLanguageModel, options: AiSdkModelOptions = {}): Model {
  const version = versionOf(languageModel)
  checkOptions(options)
  const name = `${languageModel.provider}/${languageModel.modelId}`
  return { name, respond: (request) => respond({ languageModel, version, options, name }, request) }
}

interface Asked {
  languageModel: AiSdkLanguageModel
  version: SdkVersion
  options: AiSdkModelOptions
  name: string
}

async function* respond(asked: Asked, request: ModelRequest): AsyncGenerator<ModelPart> {
  const { options, name } = asked
  const { signal } = request
  for (let attempts = 1; ; attempts++) {
    let shown = false
    try {
      for await (const part of ask(asked, request)) {
        shown = true
        yield part
      }
      return
    } catch (error) {
      // An error after an abort is not a failure of the model.
      signal.throwIfAborted()
      const delayMs = pauseMs(error, attempts, options)
      if (shown || attempts > (options.retries ?? 2) || delayMs === undefined)
        throw toModelFailed(error, name, attempts)
      options.onRetry?.({ attempt: attempts, delayMs, error })
      await sleep(delayMs, { signal })
    }
  }
}

/** Asks once. Without streaming, nothing is shown before the whole answer was read and accepted. */
async function* ask({ languageModel, version, options }: Asked, request: ModelRequest): AsyncGenerator<ModelPart> {
  const { stream = true, timeoutSeconds, systemMessages = 'first', readBlob, onWarning } = options
  const prompt = await toPrompt(request, { version, provider: languageModel.provider, systemMessages, readBlob })
  const silenceMs = timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000
  const reader = new AnswerReader(languageModel, {
    streamed: stream,
    warn: (warning) => onWarning?.(warning),
    // A model of specification 2 cannot receive the approval answer.
    hosted: version === 'v2' ? [] : (request.hostedTools ?? []),
  })
  const call = { ...toCallOptions(options, request, version), prompt }
  const whole: ModelPart[] = []
  for await (const part of attempt(languageModel, call, { stream, silenceMs })) {
    const shown = reader.read(part)
    if (!shown) continue
    if (stream) yield shown
    else whole.push(shown)
  }
  yield* whole
}

/** The delay before a retry, or `undefined` if a retry would not help. */
function pauseMs(error: unknown, attempts: number, { retryDelaySeconds = 1 }: AiSdkModelOptions): number | undefined {
  if (!mayPass(error)) return undefined
  const asked = askedDelayMs(error, Date.now())
  if (asked !== undefined) return asked <= LONGEST_ASKED_MS ? asked : undefined
  const most = Math.min(LONGEST_OWN_MS, retryDelaySeconds * 1000 * 2 ** (attempts - 1))
  // Jitter of 50–100 %, so that runs that failed together do not retry together.
  return most * (0.5 + Math.random() / 2)
}

function versionOf(model: AiSdkLanguageModel): SdkVersion {
  if (typeof model !== 'object' || model === null)
    throw new InputInvalid('aiSdkModel() takes a language model object, such as openai("gpt-5"), not its name.')
  const { specificationVersion: version } = model
  if (version !== 'v2' && version !== 'v3' && version !== 'v4')
    throw new InputInvalid(
      `aiSdkModel() supports the language model specifications v2, v3 and v4; this model has ${JSON.stringify(version)}.`,
    )
  if (typeof model.doStream !== 'function' || typeof model.doGenerate !== 'function')
    throw new InputInvalid('aiSdkModel() takes a language model: this object has no doStream() and doGenerate().')
  return version
}
