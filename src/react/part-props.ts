/** What every part takes: a class for your own styles. */
export interface PartProps {
  className?: string
}
