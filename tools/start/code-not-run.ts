import { loadProjectCode } from '../../extensions/strapi'
import { modelNamed, type Schema, type Uid } from '../../lib/schema'

/** More types are only counted: `content-router check` lists all. */
const shown = 6

const nameOf = (schema: Schema, uid: Uid): string => modelNamed(schema, uid)?.singularName ?? uid

/** Types that may differ from Strapi's responses, as they run through code of the project. */
export function codeNotRun(schema: Schema): readonly string[] {
  const { types } = loadProjectCode(schema)
  if (types.length === 0) return []
  const names = types.slice(0, shown).map(({ uid }) => nameOf(schema, uid))
  const more = types.length > shown ? ` and ${String(types.length - shown)} more` : ''
  return [
    `the project runs code of its own to read ${names.join(', ')}${more}; the router does not:`,
    '  responses may lack what it adds, and show what it would refuse. content-router check lists the files',
  ]
}
