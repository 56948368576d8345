/** Where new ids come from. */
export type IdSource = () => string
