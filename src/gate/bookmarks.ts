import { bookmarkId, namedBookmarkId } from '../protocol/conversation.ts'
import { InputInvalid } from '../protocol/errors/errors.ts'
import { type JsonValue, jsonProblem } from '../protocol/json/json.ts'
import { GATE_BOOKMARK } from '../protocol/record-kinds.ts'
import type { GateSettings } from './settings.ts'

type Bookmark = JsonValue | Uint8Array

/** What hosts need to continue their conversations: state strings, tokens, interrupt ids. One for each conversation, and named ones beside it. */
export class Bookmarks {
  readonly #settings: GateSettings

  constructor(settings: GateSettings) {
    this.#settings = settings
  }

  async put(conversation: string, value: Bookmark): Promise<void> {
    const id = this.#id(conversation)
    await this.#settings.store.writeRecords([{ op: 'put', kind: GATE_BOOKMARK, id, value: encode(value) }])
  }

  /** Keeps the value unless there is one, whoever writes at the same time. Resolves to the one that is kept. */
  async putOnce(conversation: string, value: Bookmark, name?: string): Promise<{ value: Bookmark; isNew: boolean }> {
    const id = this.#id(conversation, name)
    const text = encode(value)
    for (;;) {
      const put = { op: 'put', kind: GATE_BOOKMARK, id, value: text, expect: 0 } as const
      if ((await this.#settings.store.writeRecords([put])).ok) return { value: decode(text), isNew: true }
      const kept = await this.get(conversation, name)
      if (kept !== undefined) return { value: kept, isNew: false }
    }
  }

  async get(conversation: string, name?: string): Promise<Bookmark | undefined> {
    const record = await this.#settings.store.readRecord(GATE_BOOKMARK, this.#id(conversation, name))
    return record && decode(record.value)
  }

  #id(conversation: string, name?: string): string {
    if (typeof conversation !== 'string' || conversation === '')
      throw new InputInvalid('A bookmark needs the threadId of the conversation.')
    const { source } = this.#settings
    return name === undefined ? bookmarkId(source, conversation) : namedBookmarkId(source, conversation, name)
  }
}

type Encoded = { json: JsonValue } | { bytes: string }

function encode(value: Bookmark): string {
  if (value instanceof Uint8Array) return JSON.stringify({ bytes: Buffer.from(value).toString('base64') })
  const problem = jsonProblem(value, 'value')
  if (problem) throw new InputInvalid(`The value of bookmark() must be plain JSON or bytes: ${problem}.`)
  return JSON.stringify({ json: value })
}

function decode(text: string): Bookmark {
  const value = JSON.parse(text) as Encoded
  return 'bytes' in value ? new Uint8Array(Buffer.from(value.bytes, 'base64')) : value.json
}
