import type { FilledOptions, Logger } from '../config'
import { describeProjectCode, type ProjectCode, readProjectCode } from '../project'
import { modelNamed, type Schema, type Uid } from '../schema'

type Withholding = FilledOptions['projectCode']

function isWithheld({ guards }: ProjectCode, withhold: Withholding['withhold']): boolean {
  switch (withhold) {
    case 'none':
      return false
    case 'policies':
      return guards
    case 'all':
      return true
  }
}

const message =
  'A Strapi project runs code of its own where types are read, and the router does not: ' +
  'answers may lack what it adds, and show what it would refuse or take out'

/** Types that are not served until the host says so. All that have code are named, once. */
export function withheldTypes(
  schema: Schema,
  { withhold, serve }: Withholding,
  logger: Logger,
): ReadonlySet<Uid> {
  const served = new Set(serve.map((name) => modelNamed(schema, name)?.uid))
  const code = readProjectCode(schema).filter(({ uid }) => !served.has(uid))
  if (code.length === 0) return new Set()
  const withheld = code.filter((one) => isWithheld(one, withhold)).map(({ uid }) => uid)
  const remedy = 'projectCode: { serve: [those whose code need not be run] }'
  logger.warn({ code: code.map(describeProjectCode), notServed: withheld, remedy }, message)
  return new Set(withheld)
}
