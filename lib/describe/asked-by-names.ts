import { type AskedForms, type AskedMaking, isAsking, namedAsks } from './asked-forms'
import { areAllTold, type FilterChoice, type FilterParameter, filterParameters } from './filter-parameters'
import { type JsonPart, refTo } from './json-part'
import { draftParameters, entryParameters, inQuery, pageParameters, searchParameter } from './page-parameters'
import { linkPath, shapeParameters, sortParameter } from './shape-parameters'
import type { ShownType } from './shown-types'

const shared = (names: readonly string[]): readonly JsonPart[] =>
  names.map((name) => refTo('parameters', name))

/** What nearly every type has needs to be written only once. */
const sharedOrOwn = ({ key, isOfEveryType, parameter }: FilterParameter): JsonPart =>
  isOfEveryType ? refTo('parameters', key) : parameter

/** Of a type, under its name and a dot. */
const ownShapes = (type: ShownType, { names }: AskedMaking): readonly (readonly [string, JsonPart])[] =>
  Object.entries(shapeParameters(type)).map(
    ([key, parameter]) => [`${names.of(type.model.uid)}.${key}`, parameter] as const,
  )

/** A query of the host's, and what it asks for of those who ask it. */
function namedParameters(type: ShownType, making: AskedMaking): readonly JsonPart[] {
  const { names, parameters } = namedAsks(type, making)
  if (names.length === 0) return []
  const query = inQuery('query', {
    schema: { type: 'string', enum: names },
    description: 'A query that the server knows by this name',
  })
  return [
    type.onlyByName ? { ...query, required: true } : query,
    ...parameters.map((name) =>
      inQuery(name, { schema: { type: 'string' }, description: 'Of queries that have a name' }),
    ),
  ]
}

const whichKeys = ({ hasDrafts }: ShownType): readonly string[] => [
  ...Object.keys(entryParameters),
  ...(hasDrafts ? Object.keys(draftParameters) : []),
]

function entryQuery(type: ShownType, making: AskedMaking): readonly JsonPart[] {
  const which = whichKeys(type)
  const named = namedParameters(type, making)
  if (type.onlyByName) {
    return [...named, ...shared(which.filter((name) => name !== 'publicationFilter'))]
  }
  return [...shared([...ownShapes(type, making).map(([key]) => key), ...which]), ...named]
}

function sharedParameters(types: readonly ShownType[], making: AskedMaking, choice: FilterChoice): JsonPart {
  const asking = types.filter(isAsking)
  const same = asking.flatMap((type) =>
    filterParameters(type, choice).flatMap(({ key, isOfEveryType, parameter }) =>
      isOfEveryType ? [[key, parameter] as const] : [],
    ),
  )
  return Object.fromEntries([...asking.flatMap((type) => ownShapes(type, making)), ...same])
}

/** OpenAPI 3.1: a parameter for each name that stands in a URL, so that every generator can send it. */
export function askedByNames(making: AskedMaking): AskedForms {
  const { types, options } = making
  const matching = options.textMatching
  const choice = { types, matching, all: areAllTold(types, matching) }
  const pages = pageParameters(options.pagination)
  const drafts = types.some(({ hasDrafts }) => hasDrafts) ? draftParameters : {}
  const common = { ...pages, ...entryParameters, search: searchParameter, ...drafts }
  const list = (type: ShownType): readonly JsonPart[] => {
    const asked = [...entryQuery(type, making)]
    if (type.onlyByName) return [...asked, ...shared(Object.keys(pages))]
    const filters = filterParameters(type, choice).map(sharedOrOwn)
    return [...asked, sortParameter(type), ...shared(['search', ...Object.keys(pages)]), ...filters]
  }
  return {
    list,
    entry: (type) => entryQuery(type, making),
    parameters: { ...common, ...sharedParameters(types, making, choice) },
    schemas: { LinkPath: linkPath },
  }
}
