import { MOST_MARKS } from '../../../core/fold/fold-marks.ts'
import type { RunMark } from '../../../core/run-mark.ts'
import type { CallKey } from '../../../protocol/ids.ts'
import type { AssistantMessage } from '../../../protocol/message.ts'
import type { Beyond, ToldStory } from '../views/story.ts'
import { isOf, turnOf } from '../views/thread-entries.ts'
import { findAnswer, findCall } from './find-turn.ts'
import type { ThreadWindow } from './thread-window.ts'

/** What is known of a thread before its window: by the marks of its runs, and by what was looked up. */
export class BeyondWindow implements Beyond {
  readonly #window: ThreadWindow
  readonly #agents = new Map<string, string>()
  readonly #answers = new Map<string, AssistantMessage>()
  #marks: readonly RunMark[] | undefined

  constructor(window: ThreadWindow) {
    this.#window = window
  }

  agentAt(frame: string, seq: number): string | undefined {
    const run = this.#markOf(frame)
    if (!run) return undefined
    const change = run.changes.findLast((each) => each.frame === frame && each.at < seq)
    if (change) return change.agent
    // Earlier changes may have been dropped.
    if (run.changes.length === MOST_MARKS.places) return undefined
    return frame === run.id ? run.agent : this.#agents.get(frame)
  }

  answerOf(turn: string): AssistantMessage | undefined {
    return this.#answers.get(turn)
  }

  /** Looks up what a story lacks. `false`: it must be read further back. */
  async lookUp({ calls, speakers }: ToldStory): Promise<boolean> {
    if (speakers.size > 0 && !this.#marks) {
      this.#marks = (await this.#window.landmarks()).marks
      return true
    }
    for (const [call, seq] of calls) if (!(await this.#lookUpCall(call, seq))) return false
    for (const [frame, seq] of speakers) if (!(await this.#lookUpFrame(frame, seq))) return false
    return true
  }

  async #lookUpCall(call: CallKey, seq: number): Promise<boolean> {
    const answer = await findAnswer(this.#window, call, seq)
    if (answer) this.#answers.set(turnOf(call), answer.entry.message)
    return answer !== undefined
  }

  /** A nested frame begins with the start of its call, which names its agent. */
  async #lookUpFrame(frame: string, seq: number): Promise<boolean> {
    const run = this.#markOf(frame)
    if (!run || run.id === frame || this.#agents.has(frame)) return false
    const started = (await findCall(this.#window, frame as CallKey, seq)).find(isOf('call.started'))
    const agent = started?.entry.frame?.agent.id
    if (agent !== undefined) this.#agents.set(frame, agent)
    return agent !== undefined
  }

  #markOf(frame: string) {
    return this.#marks?.find(({ id }) => frame === id || frame.startsWith(`${id}/`))
  }
}
