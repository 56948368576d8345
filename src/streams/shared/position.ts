/** A position in the form that sorts as text. */
export function sortable(position: string): string {
  const [first = '', second = '0'] = position.split('-')
  return `${first.padStart(20, '0')}-${second.padStart(20, '0')}`
}
