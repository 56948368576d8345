/** How many threads a process drives at once, all together and of one tenant. */
export class Slots {
  readonly #total: number
  readonly #perTenant: number
  readonly #byTenant = new Map<string, number>()
  #taken = 0

  constructor({ total, perTenant = total }: { total: number; perTenant?: number | undefined }) {
    this.#total = total
    this.#perTenant = perTenant
  }

  /** How many are taken. */
  get taken(): number {
    return this.#taken
  }

  /** Whether one is free. */
  get hasFree(): boolean {
    return this.#taken < this.#total
  }

  /** Whether one is free for this tenant. */
  isFreeFor(tenantId: string): boolean {
    return this.hasFree && (this.#byTenant.get(tenantId) ?? 0) < this.#perTenant
  }

  /** Whether this tenant has one. */
  has(tenantId: string): boolean {
    return this.#byTenant.has(tenantId)
  }

  /** Takes one. Returns a function that gives it back, once. */
  take(tenantId: string): () => void {
    if (!this.isFreeFor(tenantId)) throw new Error('no slot is free for this tenant')
    this.#taken += 1
    this.#byTenant.set(tenantId, (this.#byTenant.get(tenantId) ?? 0) + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#taken -= 1
      const left = (this.#byTenant.get(tenantId) ?? 0) - 1
      if (left > 0) this.#byTenant.set(tenantId, left)
      else this.#byTenant.delete(tenantId)
    }
  }
}
