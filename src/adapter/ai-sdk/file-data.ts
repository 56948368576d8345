import { InputInvalid, messageOf } from '../../protocol/errors/errors.ts'
import type { BlobRef, Part } from '../../protocol/message.ts'
import type { SdkVersion } from './specification.ts'

/** A file of a message. Its data is base64, the address of the file, a `data:` address, or a reference to stored content. */
export type FilePart = Extract<Part, { type: 'file' }>

/** Reads the content of a file that a message only refers to. */
export type ReadBlob = (ref: BlobRef) => Promise<Uint8Array>

/** The content of a file as base64, or its address. */
export type FileContent = { base64: string } | { url: URL }

/** Finds out what a file's data is, and reads it if it is stored elsewhere. */
export async function readFileContent({ data }: FilePart, readBlob: ReadBlob | undefined): Promise<FileContent> {
  if (typeof data === 'string') return contentOf(data)
  if (!readBlob)
    throw new InputInvalid(`A message refers to the stored file ${data.sha256}: give aiSdkModel() a readBlob function.`)
  return { base64: toBase64(await readBlob(data)) }
}

/** What a text stands for. Base64 has no colon, so that an address cannot be taken for it. */
export function contentOf(data: string): FileContent {
  if (!data.includes(':')) return { base64: data }
  const inline = /^data:[^,]*?(;base64)?,(.*)$/is.exec(data)
  try {
    if (!inline) return { url: new URL(data) }
    const [, coded, text = ''] = inline
    return { base64: coded ? text : Buffer.from(decodeURIComponent(text)).toString('base64') }
  } catch (error) {
    throw new InputInvalid(`The data of a file is neither base64 nor an address: ${messageOf(error)}.`)
  }
}

/** A file's content as a version's prompts have it. */
export function toSdkData(content: FileContent, version: SdkVersion): unknown {
  if (version !== 'v4') return 'url' in content ? content.url : content.base64
  return 'url' in content ? { type: 'url', url: content.url } : { type: 'data', data: content.base64 }
}

/** A file that a model made, as text: base64 or its address. */
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
