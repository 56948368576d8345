import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { MemorySaver } from '@langchain/langgraph'

/** A checkpointer whose checkpoints are in a file when its promises resolve. Each process that opens the file finds the last ones. */
export class FileSaver extends MemorySaver {
  /** @type {string} */
  #file

  /** @param {string} file */
  constructor(file) {
    super()
    this.#file = file
    if (existsSync(file)) Object.assign(this, JSON.parse(readFileSync(file, 'utf8'), toBytes))
  }

  /**
   * @override
   * @type {MemorySaver['put']}
   */
  async put(config, checkpoint, metadata) {
    const put = await super.put(config, checkpoint, metadata)
    this.#write()
    return put
  }

  /**
   * @override
   * @type {MemorySaver['putWrites']}
   */
  async putWrites(config, writes, taskId) {
    await super.putWrites(config, writes, taskId)
    this.#write()
  }

  #write() {
    const beside = `${this.#file}.${randomUUID()}`
    writeFileSync(beside, JSON.stringify({ storage: this.storage, writes: this.writes }, fromBytes))
    renameSync(beside, this.#file)
  }
}

/**
 * @param {string} _key
 * @param {unknown} value
 */
function fromBytes(_key, value) {
  return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value
}

/**
 * @param {string} _key
 * @param {unknown} value
 */
function toBytes(_key, value) {
  const isBytes = typeof value === 'object' && value !== null && 'bytes' in value
  return isBytes ? new Uint8Array(Buffer.from(String(value.bytes), 'base64')) : value
}
