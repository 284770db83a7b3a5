import type { Logger } from '../../lib/config'
import { modelNamed, type Schema, type Uid } from '../../lib/schema'
import { loadProjectCode, type TypeCode } from './load-project-code'

/** Types that are served although the project reads them by its own code; `'*'`: all of them. */
export type ServeOption = readonly string[] | '*'

function warnOf({ uid, reasons }: TypeCode, schema: Schema, logger: Logger): void {
  const name = schema.models.get(uid)?.singularName ?? uid
  const serve = `strapi5({ serve: ['${name}'] })`
  const populates = reasons.some((reason) => /middlewares \(.*populate/i.test(reason))
  const remedy = populates
    ? `${serve}, and defaultQueries({ '${name}': { populate } }) with the populate of the middleware`
    : serve
  logger.warn(
    { type: uid, reasons, remedy },
    'A type is not served (403): its Strapi project runs code where it is read',
  )
}

/** Types whose reads run through code of the project, which the router does not run. Each is logged once. */
export function withholdTypes(schema: Schema, serve: ServeOption, logger: Logger): readonly Uid[] {
  if (serve === '*') return []
  const served = new Set(serve.map((name) => modelNamed(schema, name)?.uid))
  const { types, elsewhere } = loadProjectCode(schema)
  const withheld = types.filter(({ uid }) => !served.has(uid))
  for (const type of withheld) warnOf(type, schema, logger)
  if (elsewhere.length > 0)
    logger.warn(
      { files: elsewhere },
      'Files that a Strapi project runs at its start may change routes, and are not run',
    )
  return withheld.map(({ uid }) => uid)
}
