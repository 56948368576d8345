import { createHmac, timingSafeEqual } from 'node:crypto'
import { type HitlRequest, InMemoryChannel } from 'holdpoint'
import type { Asked, Presentation } from 'holdpoint/ports'

/** A channel whose approvals are messages with two buttons in Slack. Clicks come to `handle`, signed by Slack. */
export class SlackChannel extends InMemoryChannel {
  readonly #slack: { url: string; token: string; signingSecret: string; channel: string }

  constructor(slack: { url: string; token: string; signingSecret: string; channel: string }) {
    super()
    this.#slack = slack
  }

  override present(asked: Asked): Presentation {
    const shown = super.present(asked)
    // A message that cannot be posted is a question that nobody sees: the run fails instead of waiting.
    this.#post(asked.request).catch((error: unknown) => asked.fail(error))
    return shown
  }

  /** Takes a click. Throws if Slack did not sign it, and if somebody else was faster. */
  async handle(body: string, headers: { timestamp: string; signature: string }): Promise<void> {
    const wanted = `v0=${createHmac('sha256', this.#slack.signingSecret).update(`v0:${headers.timestamp}:${body}`).digest('hex')}`
    const isFresh = Math.abs(Date.now() / 1000 - Number(headers.timestamp)) < 300
    const isSigned =
      headers.signature.length === wanted.length && timingSafeEqual(Buffer.from(headers.signature), Buffer.from(wanted))
    if (!isFresh || !isSigned) throw new Error('not signed by Slack')
    const { user, actions } = JSON.parse(new URLSearchParams(body).get('payload') ?? '{}')
    await this.answer(actions[0].value, { type: actions[0].action_id }, { by: user.id })
  }

  async #post({ id, toolName, args }: HitlRequest): Promise<void> {
    const button = (type: string) => ({
      type: 'button',
      action_id: type,
      value: id,
      text: { type: 'plain_text', text: type },
    })
    const text = `May I run ${toolName} ${JSON.stringify(args)}?`
    const blocks = [
      { type: 'section', text: { type: 'plain_text', text } },
      { type: 'actions', elements: ['approve', 'reject'].map(button) },
    ]
    const response = await fetch(`${this.#slack.url}/api/chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#slack.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ channel: this.#slack.channel, text, blocks }),
    })
    const { ok, error } = (await response.json()) as { ok: boolean; error?: string }
    if (!ok) throw new Error(`Slack refused the message: ${error}`)
  }
}
