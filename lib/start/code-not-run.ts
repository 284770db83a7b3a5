import { readProjectCode } from '../project'
import { modelNamed, type Schema, type Uid } from '../schema'

/** Named are so many: the rest is for the docs of the project. */
const shown = 6

const nameOf = (schema: Schema, uid: Uid): string => modelNamed(schema, uid)?.singularName ?? uid

/** What a project does besides, where its content is read: why an answer may differ from that of Strapi. */
export function codeNotRun(schema: Schema): readonly string[] {
  const types = readProjectCode(schema).types.filter(({ files }) => files.length > 0)
  if (types.length === 0) return []
  const names = types.slice(0, shown).map(({ uid }) => nameOf(schema, uid))
  const more = types.length > shown ? ` and ${String(types.length - shown)} more` : ''
  return [
    `the project has code of its own where ${names.join(', ')}${more} ${types.length === 1 ? 'is' : 'are'} read, which is not run:`,
    '  answers may lack what it adds, and show what it would refuse',
  ]
}

/** The same as the router warns of it, in words for those who run it. */
export const tellsOfCode = (facts: object): boolean => 'code' in facts && 'notServed' in facts
