import type { Streams } from '../ports/streams.ts'
import type { JsonObject } from '../protocol/json/json.ts'
import { uuidSource } from '../protocol/uuid.ts'
import { checkJsonObject, checkOptions, checkStream } from './content.ts'

/** Where a notification goes. */
export interface NotificationOptions {
  /** The session of the person who is notified. */
  stream: string
  streams: Streams
}

/** Sends a person in another process a message that needs no answer, such as progress. Resolves when it is stored. */
export async function notification(content: JsonObject, options: NotificationOptions): Promise<void> {
  checkOptions('notification', options, ['stream', 'streams'])
  checkStream('notification', options.stream)
  checkJsonObject(content)
  await options.streams.send(options.stream, { msg_id: uuidSource()(), msg_type: 'Notification', content })
}
