/** What these tests read of an element: the project is compiled without the types of a browser. */
export interface Dom {
  textContent: string | null
  open: boolean
  dataset: Record<string, string | undefined>
  querySelector(selector: string): Dom | null
  querySelectorAll(selector: string): Iterable<Dom> & { length: number }
  getAttribute(name: string): string | null
  remove(): void
}

/** An element of the page. */
export function dom(element: unknown): Dom {
  return element as Dom
}
