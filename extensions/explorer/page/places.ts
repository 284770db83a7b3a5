import {
  compared,
  junctions,
  ofLevel,
  pages,
  quantifiers,
  type Choice,
  choice,
  operatorInWords,
  takesTruth,
} from './fixed-choices'
import { functionNames, groupNames } from './group-names'
import { targetsOf, throughLinks, type LinkData, type TypeData, type TypesByUid } from './page-data'

/** Completions of a place in a query: more names in brackets, or values after `=`. */
export interface Place {
  readonly names: readonly Choice[]
  readonly values: readonly Choice[]
}

const nothing: Place = { names: [], values: [] }

const values = (texts: readonly string[], about: string): Place => ({
  names: [],
  values: texts.map((text) => choice(text, about)),
})

export interface Grammar {
  readonly types: TypesByUid
  readonly locales: readonly string[]
}

type Names = readonly string[]

export const isNumber = (name: string | undefined): boolean => name !== undefined && /^\d*$/.test(name)

const fieldsOf = ({ scalars }: TypeData): readonly Choice[] =>
  scalars.map(({ name, type }) => choice(name, type))

/** `relation, author[]` for a list of `api::author.author`. */
export const aboutLink = ({ role, many, targets }: LinkData): string =>
  [role, ...(role === 'relation' && targets.length === 1 ? [targets[0]?.split('.').at(-1)] : [])].join(', ') +
  (many ? '[]' : '')

const linksOf = ({ links }: TypeData, opens: boolean): readonly Choice[] =>
  links.map((link) => choice(link.name, aboutLink(link), opens))

function sorts(grammar: Grammar, type: TypeData): readonly Choice[] {
  const own = (one: TypeData, before: string): Choice[] =>
    one.scalars
      .filter(({ isSorted }) => isSorted)
      .flatMap(({ name, type: kind }) => [
        choice(before + name, kind),
        choice(`${before}${name}:desc`, `${kind}, descending`),
      ])
  const far = throughLinks(type).flatMap((link) =>
    targetsOf(grammar.types, link).flatMap((target) => own(target, `${link.name}.`)),
  )
  return [...own(type, ''), ...far]
}

/** Formats of a time, with the current time as the example. */
function timesOf(type: string, now: string): readonly Choice[] {
  const [day = '', time = ''] = now.slice(0, 'yyyy-mm-ddThh:mm:ss'.length).split('T')
  const today = choice(day, 'today')
  switch (type) {
    case 'date':
      return [today]
    case 'time':
      return [choice(time, 'now, in UTC')]
    case 'datetime':
    case 'timestamp':
      return [today, choice(`${day}T${time}Z`, 'now')]
    default:
      return []
  }
}

function operand(type: TypeData, name: string): Place {
  const scalar = type.scalars.find((one) => one.name === name)
  if (scalar === undefined) return nothing
  if (scalar.values !== null) return values(scalar.values, scalar.type)
  if (scalar.type === 'boolean') return values(['true', 'false'], 'boolean')
  return { names: [], values: timesOf(scalar.type, new Date().toISOString()) }
}

function ofScalar(type: TypeData, name: string, path: Names): Place {
  const [next, ...rest] = path
  const scalar = type.scalars.find((one) => one.name === name)
  const operators = scalar?.operators ?? []
  if (next === undefined)
    return {
      ...operand(type, name),
      names: [...operators, '$not'].map((one) => choice(one, operatorInWords(one), one === '$not')),
    }
  if (next === '$not') return ofScalar(type, name, rest)
  return takesTruth(next) ? values(['true', 'false'], operatorInWords(next)) : operand(type, name)
}

function ofFilters(grammar: Grammar, type: TypeData, path: Names): Place {
  const [name, ...rest] = path
  if (name === undefined)
    return {
      names: [
        ...fieldsOf(type).map((one) => ({ ...one, opens: true })),
        ...throughLinks(type).map((link) => choice(link.name, aboutLink(link), true)),
        ...junctions,
      ],
      values: [],
    }
  if (name === '$and' || name === '$or' || name === '$not' || isNumber(name))
    return name === '$and' || name === '$or' ? listed(grammar, type, rest) : ofFilters(grammar, type, rest)
  if (type.scalars.some((one) => one.name === name)) return ofScalar(type, name, rest)
  const link = throughLinks(type).find((one) => one.name === name)
  const [target] = link === undefined ? [] : targetsOf(grammar.types, link)
  return link === undefined || target === undefined ? nothing : ofLinked(grammar, link, [target, rest])
}

function listed(grammar: Grammar, type: TypeData, path: Names): Place {
  return path.length === 0
    ? { names: [choice('0', 'first item', true), choice('1', 'second item', true)], values: [] }
    : ofFilters(grammar, type, path)
}

function ofLinked(grammar: Grammar, { many }: LinkData, [target, path]: readonly [TypeData, Names]): Place {
  const [next, ...rest] = path
  if (next === '$count') return rest.length === 0 ? { names: compared, values: [] } : nothing
  if (next === '$some' || next === '$none' || next === '$every') return ofFilters(grammar, target, rest)
  const below = ofFilters(grammar, target, path)
  return next === undefined && many ? { ...below, names: [...below.names, ...quantifiers] } : below
}

function ofPopulate(grammar: Grammar, type: TypeData, path: Names): Place {
  const [name, ...rest] = path
  const paths = type.links.flatMap((link) => [
    choice(link.name, aboutLink(link)),
    ...targetsOf(grammar.types, link).flatMap((target) =>
      target.links.map((below) => choice(`${link.name}.${below.name}`, aboutLink(below))),
    ),
  ])
  const names = {
    names: linksOf(type, true),
    values: [choice('*', 'all relations, one level deep'), ...paths],
  }
  if (name === undefined) return names
  if (isNumber(name)) return { ...names, names: [] }
  const link = type.links.find((one) => one.name === name)
  return link === undefined ? nothing : belowLink(grammar, link, rest)
}

function belowLink(grammar: Grammar, link: LinkData, path: Names): Place {
  const [name, uid, ...rest] = path
  const all = targetsOf(grammar.types, link)
  if (name === 'on') {
    if (uid === undefined)
      return { names: all.map((one) => choice(one.uid, 'entries of the type', true)), values: [] }
    const target = all.find((one) => one.uid === uid)
    return target === undefined ? nothing : ofAsk(grammar, target, rest)
  }
  const [target] = all
  const below =
    target === undefined || all.length > 1
      ? { names: path.length === 0 ? [choice('populate', 'all relations', true)] : [], values: [] }
      : ofAsk(grammar, target, path)
  const on = [choice('on', 'fields by type', true)]
  if (path.length > 0) return below
  return {
    names:
      link.targets.length > 1 || link.role === 'zone'
        ? on
        : [...below.names, choice('count', 'number of entries')],
    values: [choice('true', 'populated')],
  }
}

function ofAsk(grammar: Grammar, type: TypeData, path: Names): Place {
  const [name, ...rest] = path
  switch (name) {
    case undefined:
      return { names: ofLevel, values: [choice('true', 'all attributes')] }
    case 'fields':
      return rest.length > 1 ? nothing : { names: [], values: [choice('*', 'all'), ...fieldsOf(type)] }
    case 'sort':
      return rest.length > 1 ? nothing : { names: [], values: sorts(grammar, type) }
    case 'filters':
      return ofFilters(grammar, type, rest)
    case 'populate':
      return ofPopulate(grammar, type, rest)
    case 'count':
      return values(['true', 'false'], 'number of entries')
    default:
      return nothing
  }
}

function namedOf({ queries }: TypeData): readonly Choice[] {
  const parameters = new Set(queries.flatMap((one) => one.parameters))
  return queries.length === 0
    ? []
    : [
        choice('query', 'named query'),
        ...[...parameters].map((name) => choice(name, 'parameter of a named query')),
      ]
}

const ofSearch: readonly Choice[] = [
  choice('highlight', 'found words of attributes'),
  choice('ranks', 'points of the entries'),
]

const ofAggregates: readonly Choice[] = [
  choice('facets', 'frequent values of a list'),
  choice('groupBy', 'groups of an aggregate'),
  choice('aggregate', 'functions of an aggregate', true),
  choice('having', 'conditions on groups', true),
]

function ofFunctions({ types }: Grammar, type: TypeData, path: Names): Place {
  const [name] = path
  const functions = functionNames(types, type)
  if (name === undefined)
    return {
      names: ['count', ...functions.map(([one]) => one)].map((one) => choice(one, 'function')),
      values: [],
    }
  if (name === 'count') return values(['true'], 'number of entries')
  return values(functions.find(([one]) => one === name)?.[1] ?? [], 'attribute')
}

function topNames(type: TypeData, isList: boolean): readonly Choice[] {
  if (type.onlyByName)
    return [...namedOf(type), ...(isList ? [choice('pagination', 'page of the list', true)] : [])]
  return [
    ...namedOf(type),
    ...ofLevel.filter(({ text }) => isList || text !== 'sort'),
    ...(isList ? [choice('pagination', 'page of the list', true), choice('_q', 'search term')] : []),
    ...(type.localized ? [choice('locale', 'language'), choice('fallback', 'fallback locales')] : []),
    ...(type.hasDrafts
      ? [
          choice('status', 'published or draft version'),
          choice('publicationFilter', 'filter by published and draft versions'),
        ]
      : []),
    ...(isList && type.ranked.length > 0 ? ofSearch : []),
    ...(type.readings.includes('aggregate') ? ofAggregates : []),
  ]
}

/** Completions of a place in a query: `['filters', 'author']` is `filters[author]`. */
export function placeAt(grammar: Grammar, type: TypeData, path: Names): Place {
  const [name, next] = path
  switch (name) {
    case undefined:
      return { names: topNames(type, type.kind === 'collectionType'), values: [] }
    case 'pagination':
      if (next === undefined) return { names: pages, values: [] }
      return next === 'withCount'
        ? values(['true', 'false', 'estimated'], 'add the total to the response')
        : nothing
    case 'status':
      return values(['published', 'draft'], 'version')
    case 'locale':
      return {
        names: [],
        values: [...grammar.locales.map((one) => choice(one, 'locale')), choice('*', 'all locales')],
      }
    case 'highlight':
      return values(type.ranked, 'attribute')
    case 'ranks':
      return values(['true'], 'points of the entries')
    case 'groupBy':
    case 'facets':
      return values(groupNames(grammar.types, type), 'group')
    case 'aggregate':
      return ofFunctions(grammar, type, path.slice(1))
    case 'query':
      return {
        names: [],
        values: type.queries.map(({ name, parameters }) => choice(name, parameters.join(', '))),
      }
    default:
      return ofAsk(grammar, type, path)
  }
}
