/** How many bodies were erased, for people who verify chains. */
export function erasedLine(count: number): string {
  return `${count} ${count === 1 ? 'body was' : 'bodies were'} erased. Entries on record say by whom and why: audit export --thread ~erasures`
}
