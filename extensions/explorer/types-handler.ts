import type { RequestHandler } from 'express'
import { operatorsFor, queriesOf, type ShownType } from '../../lib/describe'
import { operators } from '../../lib/operators'
import { keepFromCaches, type Settings } from '../../lib/http'
import { type Trying, refusing } from './tried-role'
import type { ExampleQueries } from './explorer-options'

type OfColumn = ShownType['scalars'] extends ReadonlyMap<string, infer Shown> ? Shown : never

/** Operators worth offering: numbers and instants have no case. */
function fittingOperators({ column }: OfColumn, { textMatching }: Settings): readonly string[] {
  return operatorsFor(column.type, textMatching).filter((operator) => {
    const { test } = operators[operator]
    if (test.is === 'text' || (test.is === 'equal' && test.ignoreCase)) return column.type === 'string'
    return column.type !== 'boolean' || !['ordered', 'between'].includes(test.is)
  })
}

type TypeFacts = Readonly<Record<string, unknown>>

function scalarsOf({ model, scalars }: ShownType, settings: Settings): readonly TypeFacts[] {
  return [...scalars].map(([name, shown]) => ({
    name,
    type: model.outlines.get(name)?.type ?? shown.column.type,
    operators: fittingOperators(shown, settings),
    values: shown.values,
    isUnique: shown.column.identifies,
    isSorted: shown.column.type !== 'json',
  }))
}

const linksOf = ({ links }: ShownType): readonly TypeFacts[] =>
  [...links].map(([name, { field, targets }]) => ({ name, role: field.role, many: field.many, targets }))

const namedQueriesOf = (type: ShownType, { schema, queries }: Settings): readonly TypeFacts[] =>
  Object.entries(queriesOf(schema, { queries })(type)).map(([name, { parameters = {} }]) => ({
    name,
    parameters: Object.keys(parameters),
  }))

function describeType(type: ShownType, settings: Settings): TypeFacts {
  const { model, reads, readings, ranked, hasDrafts, onlyByName } = type
  const { uid, kind, route, localized, draftAndPublish } = model
  return {
    ...{ uid, kind, path: reads.length === 0 ? null : route, reads },
    readings: readings.map(({ name }) => name),
    ...{ ranked, hasDrafts, onlyByName, localized, draftAndPublish },
    queries: namedQueriesOf(type, settings),
    scalars: scalarsOf(type, settings),
    links: linksOf(type),
  }
}

/** Examples with a role are offered only to callers who may try it. */
const offeredTo = (
  examples: readonly ExampleQueries[],
  names: readonly string[],
): readonly ExampleQueries[] =>
  examples.flatMap(({ title, queries }) => {
    const offered = queries.filter(({ role }) => role === undefined || names.includes(role))
    return offered.length === 0 ? [] : [{ title, queries: offered }]
  })

export interface PageFacts {
  readonly at: string
  readonly isBeside: boolean
  readonly examples: readonly ExampleQueries[]
}

/** Data of the page: the types that the role may read, and no others. */
export function typesHandler({ explored, roleOf }: Trying, facts: PageFacts): RequestHandler {
  const { settings, shownTo } = explored
  return (req, res, next) => {
    const respond = async (): Promise<void> => {
      const { names, named, role } = await roleOf(req)
      const types = await shownTo(req, role)
      keepFromCaches(res)
      res.json({
        ...facts,
        examples: offeredTo(facts.examples, names),
        explains: settings.extensions.some(({ observe }) => observe?.addsMeta === true),
        ...{ roles: names, named },
        types: types.map((type) => describeType(type, settings)),
      })
    }
    respond().catch(refusing(res, next))
  }
}
