export type { PartProps } from './react/part-props.ts'
