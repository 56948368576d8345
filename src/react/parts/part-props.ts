/** What every part takes: a class for your own styles. Parts have no style; `data-` attributes say what an element is. */
export interface PartProps {
  className?: string
}
