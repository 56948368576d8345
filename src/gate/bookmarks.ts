import { bookmarkId } from '../protocol/conversation.ts'
import { InputInvalid } from '../protocol/errors/errors.ts'
import { type JsonValue, jsonProblem } from '../protocol/json/json.ts'
import { GATE_BOOKMARK } from '../protocol/record-kinds.ts'
import type { GateSettings } from './settings.ts'

/** What hosts need to continue their conversations: state strings, tokens, interrupt ids. One for each conversation. */
export class Bookmarks {
  readonly #settings: GateSettings

  constructor(settings: GateSettings) {
    this.#settings = settings
  }

  async put(conversation: string, value: JsonValue | Uint8Array): Promise<void> {
    if (typeof conversation !== 'string' || conversation === '')
      throw new InputInvalid('bookmark() needs the threadId of the conversation.')
    const id = this.#id(conversation)
    await this.#settings.store.writeRecords([{ op: 'put', kind: GATE_BOOKMARK, id, value: encode(value) }])
  }

  async get(conversation: string): Promise<JsonValue | Uint8Array | undefined> {
    const record = await this.#settings.store.readRecord(GATE_BOOKMARK, this.#id(conversation))
    return record && decode(record.value)
  }

  #id(conversation: string): string {
    return bookmarkId(this.#settings.source, conversation)
  }
}

type Encoded = { json: JsonValue } | { bytes: string }

function encode(value: JsonValue | Uint8Array): string {
  if (value instanceof Uint8Array) return JSON.stringify({ bytes: Buffer.from(value).toString('base64') })
  const problem = jsonProblem(value, 'value')
  if (problem) throw new InputInvalid(`The value of bookmark() must be plain JSON or bytes: ${problem}.`)
  return JSON.stringify({ json: value })
}

function decode(text: string): JsonValue | Uint8Array {
  const value = JSON.parse(text) as Encoded
  return 'bytes' in value ? new Uint8Array(Buffer.from(value.bytes, 'base64')) : value.json
}
