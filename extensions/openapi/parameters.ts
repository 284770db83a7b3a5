import type { FilledOptions } from '../../lib/config'
import type { ResponseOptions, QueriesOfType, ShownType } from '../../lib/describe'
import { areAllListed, type FilterChoice, type FilterParameter, filterParameters } from './filter-parameters'
import { type JsonPart, refTo } from './json-part'
import {
  draftParameters,
  entryParameters,
  inQuery,
  pageParameters,
  searchParameter,
  linkPath,
  shapeParameters,
  sortParameter,
} from './page-parameters'
import type { SchemaNames } from './schema-names'

export interface ParameterMaking {
  readonly types: readonly ShownType[]
  readonly names: SchemaNames
  readonly queriesOf: QueriesOfType
  readonly options: ResponseOptions & Pick<FilledOptions, 'pagination'>
}

export interface ParameterForms {
  readonly list: (type: ShownType) => readonly JsonPart[]
  readonly entry: (type: ShownType) => readonly JsonPart[]
  /** Parameters of a list without those with these names and those of named queries. */
  readonly reading: (type: ShownType, without: readonly string[]) => readonly JsonPart[]
  /** Components that the parameters refer to. */
  readonly parameters: JsonPart
  readonly schemas: JsonPart
}

export const hasReads = ({ reads }: ShownType): boolean => reads.length > 0

/** Names and parameters of the host's queries of a type. */
function namedQueriesOf(
  type: ShownType,
  { queriesOf }: ParameterMaking,
): { readonly names: readonly string[]; readonly parameters: readonly string[] } {
  const queries = Object.entries(queriesOf(type))
  const parameters = new Set(queries.flatMap(([, query]) => Object.keys(query.parameters ?? {})))
  return { names: queries.map(([name]) => name), parameters: [...parameters] }
}

const shared = (names: readonly string[]): readonly JsonPart[] =>
  names.map((name) => refTo('parameters', name))

/** Parameters that nearly every type has are written once. */
const sharedOrOwn = ({ key, isOfEveryType, parameter }: FilterParameter): JsonPart =>
  isOfEveryType ? refTo('parameters', key) : parameter

/** Keyed by the type's name and a dot. */
const ownShapes = (type: ShownType, { names }: ParameterMaking): readonly (readonly [string, JsonPart])[] =>
  Object.entries(shapeParameters(type)).map(
    ([key, parameter]) => [`${names.of(type.model.uid)}.${key}`, parameter] as const,
  )

/** The `query` parameter and the parameters of the named queries. */
function namedParameters(type: ShownType, making: ParameterMaking): readonly JsonPart[] {
  const { names, parameters } = namedQueriesOf(type, making)
  if (names.length === 0) return []
  const query = inQuery('query', {
    schema: { type: 'string', enum: names },
    description: 'The name of a query on the server',
  })
  return [
    type.onlyByName ? { ...query, required: true } : query,
    ...parameters.map((name) =>
      inQuery(name, { schema: { type: 'string' }, description: 'Parameter of a named query' }),
    ),
  ]
}

function entryQuery(type: ShownType, making: ParameterMaking): readonly JsonPart[] {
  const which = Object.keys(type.hasDrafts ? { ...entryParameters, ...draftParameters } : entryParameters)
  const named = namedParameters(type, making)
  if (type.onlyByName) {
    return [...named, ...shared(which.filter((name) => name !== 'publicationFilter'))]
  }
  return [...shared([...ownShapes(type, making).map(([key]) => key), ...which]), ...named]
}

function sharedParameters(
  types: readonly ShownType[],
  making: ParameterMaking,
  choice: FilterChoice,
): JsonPart {
  const asking = types.filter(hasReads)
  const same = asking.flatMap((type) =>
    filterParameters(type, choice).flatMap(({ key, isOfEveryType, parameter }) =>
      isOfEveryType ? [[key, parameter] as const] : [],
    ),
  )
  return Object.fromEntries([...asking.flatMap((type) => ownShapes(type, making)), ...same])
}

/** One parameter for each name in a URL, so that every generator can send it. */
export function makeParameters(making: ParameterMaking): ParameterForms {
  const { types, options } = making
  const matching = options.textMatching
  const choice = { types, matching, all: areAllListed(types, matching) }
  const pages = pageParameters(options.pagination)
  const drafts = types.some(({ hasDrafts }) => hasDrafts) ? draftParameters : {}
  const common = { ...pages, ...entryParameters, search: searchParameter, ...drafts }
  const components: Readonly<Record<string, JsonPart>> = {
    ...common,
    ...sharedParameters(types, making, choice),
  }
  const nameOf = ({ $ref, name }: JsonPart): unknown =>
    typeof $ref === 'string' ? components[$ref.replace(/^.*\//, '')]?.['name'] : name
  const listParameters = (type: ShownType, making: ParameterMaking): readonly JsonPart[] => {
    const asked = [...entryQuery(type, making)]
    if (type.onlyByName) return [...asked, ...shared(Object.keys(pages))]
    const filters = filterParameters(type, choice).map(sharedOrOwn)
    return [...asked, sortParameter(type), ...shared(['search', ...Object.keys(pages)]), ...filters]
  }
  return {
    list: (type) => listParameters(type, making),
    entry: (type) => entryQuery(type, making),
    reading: (type, without) =>
      listParameters(type, { ...making, queriesOf: () => ({}) }).filter(
        (parameter) => !without.includes(String(nameOf(parameter))),
      ),
    parameters: components,
    schemas: { LinkPath: linkPath },
  }
}
