/** What is typed into the control of an event. Compiled without the types of a browser. */
export function typedIn(event: { currentTarget: unknown }): string {
  return (event.currentTarget as { value: string }).value
}

/** Whether the control of an event is ticked. */
export function tickedIn(event: { currentTarget: unknown }): boolean {
  return (event.currentTarget as { checked: boolean }).checked
}
