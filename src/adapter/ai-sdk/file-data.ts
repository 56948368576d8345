import { InputInvalid, messageOf } from '../../protocol/errors/errors.ts'
import type { BlobRef, Part } from '../../protocol/message.ts'
import type { SdkVersion } from './specification.ts'

/** A file of a message. Its data is base64, a URL, a `data:` URL, or a reference to stored content. */
export type FilePart = Extract<Part, { type: 'file' }>

/** Reads the stored content that a message refers to. */
export type ReadBlob = (ref: BlobRef) => Promise<Uint8Array>

/** A file's content as base64, or its URL. */
export type FileContent = { base64: string } | { url: URL }

/** Determines the form of a file's data, and reads it if it is stored elsewhere. */
export async function readFileContent({ data }: FilePart, readBlob: ReadBlob | undefined): Promise<FileContent> {
  if (typeof data === 'string') return contentOf(data)
  if (!readBlob)
    throw new InputInvalid(
      `A message refers to the stored file ${data.sha256}: pass a readBlob function to aiSdkModel().`,
    )
  return { base64: toBase64(await readBlob(data)) }
}

/** Parses a file's data. Base64 has no colon, so it cannot be confused with a URL. */
export function contentOf(data: string): FileContent {
  if (!data.includes(':')) return { base64: data }
  const inline = /^data:[^,]*?(;base64)?,(.*)$/is.exec(data)
  try {
    if (!inline) return { url: new URL(data) }
    const [, coded, text = ''] = inline
    return { base64: coded ? text : Buffer.from(decodeURIComponent(text)).toString('base64') }
  } catch (error) {
    throw new InputInvalid(`The data of a file is neither base64 nor a URL: ${messageOf(error)}.`)
  }
}

/** A file's content in the form of a specification version. */
export function toSdkData(content: FileContent, version: SdkVersion): unknown {
  if (version !== 'v4') return 'url' in content ? content.url : content.base64
  return 'url' in content ? { type: 'url', url: content.url } : { type: 'data', data: content.base64 }
}

/** A file that a model created, as a string: base64 or its URL. */
export function fromSdkData(data: unknown): string {
  if (typeof data === 'string') return data
  if (data instanceof Uint8Array) return toBase64(data)
  if (data instanceof URL) return data.href
  if (typeof data === 'object' && data !== null) {
    if ('url' in data) return String(data.url)
    if ('data' in data) return fromSdkData(data.data)
  }
  throw new TypeError('a file of the answer has no data')
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
