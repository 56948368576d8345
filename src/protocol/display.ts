import { z } from 'zod'
import { lazy } from './checks/lazy.ts'

/** One argument of a call, in the order in which people read them. */
export const displayField = lazy(() =>
  z.object({
    /** Where its value is in the arguments: keys and indexes joined with dots. `\.` is a dot inside of a key. */
    path: z.string(),
    /** Default: the path. */
    label: z.string().exactOptional(),
    format: z.enum([
      'money',
      'number',
      'email',
      'path',
      'url',
      'id',
      'enum',
      'date',
      'flag',
      'text',
      'sql',
      'code',
      'secret',
      'list',
      'json',
    ]),
    /** Of `money`: an ISO 4217 code, or the path of the argument that has it. */
    currency: z.union([z.string(), z.object({ path: z.string() })]).exactOptional(),
    /** Of `money`: `minor` counts cents. Default `major`. */
    unit: z.enum(['minor', 'major']).exactOptional(),
  }),
)
/** One argument of a call, in the order in which people read them. */
export type DisplayField = z.infer<ReturnType<typeof displayField>>
/** The format of a field. */
export type FieldFormat = DisplayField['format']

/** A headline in pieces: the tool's own words, and the arguments between them by their paths. */
const titlePart = lazy(() => z.union([z.string(), z.object({ path: z.string() })]))
/** A piece of a headline. */
export type TitlePart = z.infer<ReturnType<typeof titlePart>>

/** How a call is shown: stored with its request, so that an open request keeps what its reviewers saw. Never the model's words. */
export const display = lazy(() =>
  z.object({
    title: z.array(titlePart()),
    fields: z.array(displayField()),
    /** What it touches, such as `production`. */
    environment: z.string().exactOptional(),
    /** Who or what is affected, such as `1 customer`. */
    affected: z.string().exactOptional(),
    /** The tool said nothing; names and values of arguments were read for it. */
    guessed: z.literal(true).exactOptional(),
  }),
)
/** How a call is shown. */
export type Display = z.infer<ReturnType<typeof display>>
