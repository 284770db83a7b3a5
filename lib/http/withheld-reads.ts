import type { Action, FilledOptions, Logger, ReadAction } from '../config'
import { describeCode, readProjectCode, type TypeCode } from '../project'
import type { Grants } from '../access'
import { modelNamed, type Schema, type Uid } from '../schema'

type Withholding = FilledOptions['projectCode']

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

function withheldOf(
  { reads, guarded, unrouted, replaced }: TypeCode,
  withhold: Withholding['withhold'],
): readonly ReadAction[] {
  switch (withhold) {
    case 'none':
      return []
    case 'policies':
      return [...guarded, ...unrouted, ...replaced]
    case 'all':
      return reads
  }
}

const message =
  'A Strapi project runs code of its own where types are read, and the router does not: ' +
  'answers may lack what it adds, and show what it would refuse or take out. What it does not route it answers nobody'

/** Whatever is named is no news, and no loss. */
function withoutServed(schema: Schema, serve: readonly string[]): ReturnType<typeof readProjectCode> {
  const served = new Set(serve.map((name) => modelNamed(schema, name)?.uid))
  const { types, elsewhere } = readProjectCode(schema)
  const isLeft = [...schema.models.values()].some(
    ({ uid, route }) => route !== null && uid.startsWith('api::') && !served.has(uid),
  )
  return { types: types.filter(({ uid }) => !served.has(uid)), elsewhere: isLeft ? elsewhere : [] }
}

/** Reads that are not served until the host says so. All types that have code are named, once. */
export function withheldReads(
  schema: Schema,
  { withhold, serve }: Withholding,
  logger: Logger,
): ReadonlySet<string> {
  const { types, elsewhere } = withoutServed(schema, serve)
  if (types.length + elsewhere.length === 0) return new Set()
  const withheld = types.map((code) => ({ code, actions: withheldOf(code, withhold) }))
  const notServed = withheld.flatMap(({ code: { uid, reads }, actions }): string[] => {
    if (actions.length === 0) return []
    return actions.length === reads.length ? [uid] : actions.map((action) => readName(uid, action))
  })
  const remedy = 'projectCode: { serve: [those whose code need not be run] }'
  const more = elsewhere.length > 0 ? { mayRoute: elsewhere } : {}
  logger.warn({ code: types.map(describeCode), notServed, ...more, remedy }, message)
  return new Set(withheld.flatMap(({ code, actions }) => actions.map((action) => readName(code.uid, action))))
}
