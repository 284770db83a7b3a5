import type { Action, FilledOptions, Logger } from '../config'
import { loadProjectCode, type TypeCode } from '../project'
import type { Grants } from '../access'
import { modelNamed, type Schema, type Uid } from '../schema'

type CodeServing = FilledOptions['projectCode']

/** As in the permissions of Strapi: `api::article.article.find`. */
export const readName = (uid: Uid, action: Action): string => `${uid}.${action}`

interface ServedReads {
  readonly withheld: ReadonlySet<string>
}

/** Whether it is served, and granted. */
export const mayRead = (
  { withheld }: ServedReads,
  grants: Pick<Grants, 'may'>,
  ...[model, action]: Parameters<Grants['may']>
): boolean => !withheld.has(readName(model.uid, action)) && grants.may(model, action)

function warnOf({ uid, reasons }: TypeCode, schema: Schema, logger: Logger): void {
  const name = schema.models.get(uid)?.singularName ?? uid
  const serve = `projectCode: { serve: ['${name}'] }`
  const populates = reasons.some((reason) => /middlewares \(.*populate/i.test(reason))
  const remedy = populates
    ? `${serve}, and defaultQueries({ '${name}': { populate } }) with the populate of the middleware`
    : serve
  logger.warn(
    { type: uid, reasons, remedy },
    'A type is not served (403): its Strapi project runs code where it is read',
  )
}

/** Reads that are not served unless the host says so. Each type is logged once. */
export function withheldReads(schema: Schema, { serve }: CodeServing, logger: Logger): ReadonlySet<string> {
  if (serve === '*') return new Set()
  const served = new Set(serve.map((name) => modelNamed(schema, name)?.uid))
  const { types, elsewhere } = loadProjectCode(schema)
  const withheld = types.filter(({ uid }) => !served.has(uid))
  for (const type of withheld) warnOf(type, schema, logger)
  if (elsewhere.length > 0)
    logger.warn(
      { files: elsewhere },
      'Files that a Strapi project runs at its start may change routes, and are not run',
    )
  return new Set(withheld.flatMap(({ uid }) => [readName(uid, 'find'), readName(uid, 'findOne')]))
}
