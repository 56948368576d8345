import { ClientError } from '../client-error.ts'

/** One server-sent event. */
export interface ServerEvent {
  type: string
  data: string
  /** The last id that was seen, in this event or before it. */
  id: string
}

/** An event with more characters than this is refused: whatever sends it would fill the memory. */
const MAX_EVENT_CHARACTERS = 64 * 1_048_576

/** Reads server-sent events from a response, however it is cut into pieces. Lines may end in CR, LF or both. Takes time linear in the input. */
export class EventParser {
  /** The line that is not complete yet. */
  #line = ''
  #type = ''
  #data: string[] = []
  #id = ''
  #lastId = ''
  /** Characters of the event that is not complete yet. */
  #size = 0
  /** The last piece ended in a CR: a LF that comes next belongs to it. */
  #afterCr = false
  #started = false

  /** The id of the last complete event, also of one that had nothing but its id. */
  get lastId(): string {
    return this.#lastId
  }

  /** The events that are complete now. Throws `ClientError` if one is too large. */
  push(piece: string): ServerEvent[] {
    let text = this.#afterCr && piece.startsWith('\n') ? piece.slice(1) : piece
    if (!this.#started && piece !== '') {
      this.#started = true
      text = text.replace(/^\uFEFF/, '')
    }
    if (piece !== '') this.#afterCr = piece.endsWith('\r')
    const [rest = '', ...lines] = text.split(/\r\n|\r|\n/)
    const events: ServerEvent[] = []
    this.#grow(rest)
    for (const line of lines) {
      events.push(...this.#take(this.#line))
      this.#line = ''
      this.#grow(line)
    }
    return events
  }

  /** Looks at nothing but what is new: an event that comes in many pieces would otherwise be read once for each of them. */
  #grow(text: string): void {
    this.#line += text
    this.#size += text.length
    if (this.#size > MAX_EVENT_CHARACTERS)
      throw new ClientError(
        'invalid_response',
        `The gateway sent an event of more than ${MAX_EVENT_CHARACTERS} characters.`,
      )
  }

  #take(line: string): ServerEvent[] {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') this.#type = value
    else if (field === 'data') this.#data.push(value)
    else if (field === 'id' && !value.includes('\0')) this.#id = value
    return []
  }

  #dispatch(): ServerEvent[] {
    const event = { type: this.#type || 'message', data: this.#data.join('\n'), id: this.#id }
    this.#lastId = this.#id
    const empty = this.#data.length === 0 && this.#type === ''
    this.#type = ''
    this.#data = []
    this.#size = 0
    return empty ? [] : [event]
  }
}
