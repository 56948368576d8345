/** A promise that is fulfilled from outside. */
export interface Latch {
  readonly passed: Promise<void>
  open(): void
}

/** A closed latch. */
export function latch(): Latch {
  let open: () => void = () => undefined
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}
