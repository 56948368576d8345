/** One server-sent event. */
export interface ServerEvent {
  type: string
  data: string
  /** The last id that was seen, in this event or before it. */
  id: string
}

/** Reads server-sent events from pieces of text, however they are cut. Lines may end in CR, LF or both. */
export class EventParser {
  #rest = ''
  #type = ''
  #data: string[] = []
  #id = ''
  /** The last piece ended in a CR: a LF that comes next belongs to it. */
  #afterCr = false
  #started = false

  /** The events that are complete now. */
  push(piece: string): ServerEvent[] {
    let text = this.#afterCr && piece.startsWith('\n') ? piece.slice(1) : piece
    if (!this.#started && piece !== '') {
      this.#started = true
      text = text.replace(/^\uFEFF/, '')
    }
    if (piece !== '') this.#afterCr = piece.endsWith('\r')
    const lines = (this.#rest + text).split(/\r\n|\r|\n/)
    this.#rest = lines.pop() as string
    return lines.flatMap((line) => this.#take(line))
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
    const empty = this.#data.length === 0 && this.#type === ''
    this.#type = ''
    this.#data = []
    return empty ? [] : [event]
  }
}
