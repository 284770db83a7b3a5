import type { Uid } from '../schema'
import { type AskedForms, type AskedMaking, namedAsks } from './asked-forms'
import { tagOf } from './entry-schemas'
import { closedOf, type JsonPart, listOf, oneOrMore, refTo } from './json-part'
import { draftParameters, entryParameters, pageParameters, searchParameter } from './page-parameters'
import { linkPath, shapeParameters, sortParameter } from './shape-parameters'
import type { ShownLink, ShownType } from './shown-types'
import { conditionRef, conditionSchemas } from './condition-schemas'
import { isPaged } from './wrapped-links'

const truth: JsonPart = { type: 'boolean' }

/** What another schema has, these, and nothing else. */
const alsoClosed = (ref: JsonPart, properties: JsonPart = {}): JsonPart => ({
  ...ref,
  ...(Object.keys(properties).length === 0 ? {} : { properties }),
  unevaluatedProperties: false,
})

const mapped = <T>(all: Iterable<readonly [string, T]>, to: (one: T) => unknown): JsonPart =>
  Object.fromEntries([...all].map(([name, one]) => [name, to(one)]))

/** As a member of the query what is a parameter elsewhere. */
const asMembers = (parameters: Readonly<Record<string, JsonPart>>): JsonPart =>
  mapped(Object.entries(parameters), ({ schema, description }) => ({ ...(schema as JsonPart), description }))

/** A list, of which one may stand by itself. */
function namesIn({ schema, description }: JsonPart): JsonPart {
  const { items } = schema as { readonly items: JsonPart }
  return { ...oneOrMore(items), description }
}

const locales = (members: JsonPart): JsonPart =>
  mapped(Object.entries(members), (member) => oneOrMore(member as JsonPart))

interface Making extends AskedMaking {
  readonly pagination: JsonPart
}

const filtersOf = (uid: Uid, { names }: Making): JsonPart => refTo('schemas', names.filters(uid))

const askedOf = (uid: Uid, { names }: Making): JsonPart => refTo('schemas', names.asked(uid))

/** Of several types each has its own conditions. */
function elementFilter(link: ShownLink, tag: string, making: Making): JsonPart {
  const on = link.targets.map((uid) => [uid, alsoClosed(filtersOf(uid, making))])
  return closedOf({ [tag]: conditionRef('string'), on: closedOf(Object.fromEntries(on) as JsonPart) })
}

/** Which of the entries that a link leads to meet what, and how many they are. */
function linkFilter(link: ShownLink, making: Making): JsonPart {
  const tag = tagOf(link)
  const [only] = link.targets
  if (only === undefined) return truth
  const element = tag === null ? alsoClosed(filtersOf(only, making)) : elementFilter(link, tag, making)
  const which = {
    ...{ $some: element, $none: element, $every: element, $count: conditionRef('integer') },
    ...{ $null: truth, $notNull: truth },
  }
  return tag === null ? alsoClosed(filtersOf(only, making), which) : closedOf(which)
}

function filtersSchema(type: ShownType, making: Making): JsonPart {
  const own = alsoClosed(filtersOf(type.model.uid, making))
  const ownOrList = { anyOf: [own, listOf(own)] }
  return {
    type: 'object',
    properties: {
      ...mapped(type.scalars, ({ column }) => conditionRef(column.type)),
      ...mapped(type.links, (link) => linkFilter(link, making)),
      ...{ $and: listOf(ownOrList), $or: listOf(ownOrList), $not: ownOrList },
    },
  }
}

/** What is asked of linked entries: of several types, of each its own. */
function askedOfLink(link: ShownLink, making: Making): JsonPart {
  const [only] = link.targets
  if (only === undefined) return truth
  const tag = tagOf(link)
  if (tag === null) {
    const paged = isPaged(link.field, making.options) ? { pagination: making.pagination } : {}
    return { anyOf: [truth, alsoClosed(askedOf(only, making), { count: truth, ...paged })] }
  }
  const on = link.targets.map((uid) => [uid, { anyOf: [truth, alsoClosed(askedOf(uid, making))] }])
  const each = closedOf(Object.fromEntries(on) as JsonPart)
  return { anyOf: [truth, closedOf({ on: each, count: truth, populate: { const: '*' } })] }
}

/** Wherever entries of the type are shown. */
function askedSchema(type: ShownType, making: Making): JsonPart {
  const { fields, populate } = shapeParameters(type)
  const links = closedOf(mapped(type.links, (link) => askedOfLink(link, making)))
  const { anyOf, ...told } = populate === undefined ? { anyOf: [] } : namesIn(populate)
  return {
    type: 'object',
    properties: {
      ...(fields === undefined ? {} : { fields: namesIn(fields) }),
      ...(populate === undefined ? {} : { populate: { anyOf: [...(anyOf as JsonPart[]), links], ...told } }),
      filters: alsoClosed(filtersOf(type.model.uid, making)),
      sort: namesIn(sortParameter(type)),
    },
  }
}

/** Which versions, in which locales; and what queries of the host's want to know. */
function besides(type: ShownType, making: Making): JsonPart {
  const { names, parameters } = namedAsks(type, making)
  const { status, ...which } = type.hasDrafts ? asMembers(draftParameters) : {}
  return {
    ...locales(asMembers(entryParameters)),
    ...(status === undefined ? {} : { status }),
    ...(type.onlyByName ? {} : which),
    ...(names.length === 0 ? {} : { query: { type: 'string', enum: names } }),
    ...Object.fromEntries(parameters.map((name) => [name, oneOrMore({ type: 'string' })])),
  }
}

const written = 'With brackets, as the package qs writes an object: `filters[$or][0][id]=1`.'

function inOneText(type: ShownType, making: Making, more: JsonPart): readonly JsonPart[] {
  const members = { ...besides(type, making), ...more }
  const schema = type.onlyByName
    ? { ...closedOf(members), required: ['query'] }
    : alsoClosed(askedOf(type.model.uid, making), members)
  const content = { 'application/x-www-form-urlencoded': { schema } }
  return [{ name: 'query', in: 'querystring', required: type.onlyByName, description: written, content }]
}

/** OpenAPI 3.2: all that stands behind the `?`, at any depth. */
export function askedInOneText(asking: AskedMaking): AskedForms {
  const { types, names, options } = asking
  const pagination = refTo('schemas', 'Pagination')
  const making = { ...asking, pagination }
  const ofLists = { pagination, ...asMembers({ _q: searchParameter }) }
  return {
    list: (type) => inOneText(type, making, type.onlyByName ? { pagination } : ofLists),
    entry: (type) => inOneText(type, making, {}),
    parameters: {},
    schemas: {
      LinkPath: linkPath,
      Pagination: closedOf(asMembers(pageParameters(options.pagination))),
      ...conditionSchemas(types, options.textMatching),
      ...Object.fromEntries(
        types.flatMap((type) => [
          [names.filters(type.model.uid), filtersSchema(type, making)],
          [names.asked(type.model.uid), askedSchema(type, making)],
        ]),
      ),
    },
  }
}
