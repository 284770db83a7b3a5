import type { Fault } from '../errors'
import { closingNames, type Declared, type Declarations } from './declared'
import { step } from './explain'
import { areTwins, snakeCase } from './names'
import { closingColumns, ownColumnsOf } from './physical-of'
import type { Attribute } from './attribute'
import { didYouMean } from './nearest'

interface ComponentUse {
  readonly attribute: string
  readonly uid: string
  readonly pointer: string
}

function usesOf(name: string, attribute: Attribute): readonly ComponentUse[] {
  const pointer = `/attributes${step(name)}`
  if (attribute.type === 'component')
    return [{ attribute: name, uid: attribute.component, pointer: `${pointer}/component` }]
  if (attribute.type !== 'dynamiczone') return []
  return attribute.components.map((uid, place) => ({
    attribute: name,
    uid,
    pointer: `${pointer}/components/${String(place)}`,
  }))
}

const allUses = ({ attributes }: Declared): readonly ComponentUse[] =>
  [...attributes].flatMap(([name, attribute]) => usesOf(name, attribute))

export const isComponent = (declared: Declared | undefined): boolean => declared?.kind === 'component'

export function checkComponents(all: Declarations, declared: Declared): readonly Fault[] {
  const components = [...all.values()].filter(isComponent).map(({ uid }) => uid)
  return allUses(declared)
    .filter(({ uid }) => !isComponent(all.get(uid)))
    .map(({ uid, pointer }) => ({
      where: declared.where,
      pointer,
      problem: `there is no component ${JSON.stringify(uid)}`,
      remedy: didYouMean(uid, components),
    }))
}

/** Each circle is reported once, where it closes. */
interface Circle {
  readonly declared: Declared
  readonly use: ComponentUse
  readonly problem: string
}

function findCircles(all: Declarations): readonly Circle[] {
  const circles: Circle[] = []
  const done = new Set<string>()
  const visit = (declared: Declared, path: readonly string[]): void => {
    done.add(declared.uid)
    const here = [...path, declared.uid]
    for (const use of allUses(declared)) {
      const next = all.get(use.uid)
      if (here.includes(use.uid)) {
        const circle = [...here.slice(here.indexOf(use.uid)), use.uid].join(' → ')
        circles.push({ declared, use, problem: `the component contains itself: ${circle}` })
      } else if (next !== undefined && !done.has(use.uid)) visit(next, here)
    }
  }
  for (const declared of all.values())
    if (isComponent(declared) && !done.has(declared.uid)) visit(declared, [])
  return circles
}

/** The problem by the type and attribute that closes a circle. */
export const circlesOf = (all: Declarations): ReadonlyMap<string, string> =>
  new Map(findCircles(all).map(({ declared, use, problem }) => [`${declared.uid} ${use.attribute}`, problem]))

const reserved = ['id', 'documentId', ...closingNames]

/** Strapi refuses them in components, too. */
const refusedByStrapi: ReadonlySet<string> = new Set(['id', 'document_id'])

/** Every object inherits `constructor` and the like. */
const isInherited = (name: string): boolean => name in Object.prototype

/** `cost`: the reason why the attribute is not served, although Strapi starts with it. */
interface NameProblem extends Pick<Fault, 'problem' | 'remedy'> {
  readonly cost?: string
}

/** A column name of digits alone would be taken for a place in a list. */
const isSpeakable = (name: string): boolean =>
  /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_-]*$/u.test(name) && /\D/.test(snakeCase(name))

function unfit(name: string, isFit: boolean): NameProblem | undefined {
  if (isInherited(name)) return { problem: `${name} cannot be a name`, remedy: 'choose another' }
  if (isFit) return undefined
  const problem = `${JSON.stringify(name.slice(0, 80))} cannot be the name of an attribute`
  return { problem, remedy: 'a letter, then letters, digits and _' }
}

/** Strapi's own attributes replace those of the same name. */
export function nameProblem(name: string, isComponent: boolean): NameProblem | undefined {
  const problem = unfit(name, isSpeakable(name))
  if (problem !== undefined) return { ...problem, cost: problem.problem }
  if (refusedByStrapi.has(snakeCase(name)))
    return { problem: `${name} is reserved`, remedy: 'a name other than id and documentId' }
  if (isComponent || !reserved.includes(name)) return undefined
  return { problem: `${name} is reserved`, cost: `${name} is what every type has of itself` }
}

/**
 * `phone2` and `phone_2` would share a column. Names of components, zones and media are values in link tables, where
 * a collation may equate `seo` and `Seo`.
 */
function sharedNames({ where, kind, attributes }: Declared): readonly Fault[] {
  const isComponent = kind === 'component'
  const taken = new Map(isComponent ? [] : closingColumns.map(({ column }) => [column, 'every type']))
  const names: string[] = []
  return [...attributes].flatMap(([name, attribute]): readonly Fault[] => {
    if (nameProblem(name, isComponent) !== undefined) return []
    const columns = ownColumnsOf(name, attribute).map(({ column }) => column)
    const fault = (problem: string): Fault => ({ where, pointer: `/attributes${step(name)}`, problem })
    const shared = columns.find((column) => taken.has(column))
    if (shared !== undefined)
      return [fault(`takes the column ${shared}, as ${String(taken.get(shared))} does`)]
    const twin = names.find((other) => areTwins(other, name))
    if (twin !== undefined) return [fault(`differs from ${twin} in case or accents alone`)]
    for (const column of columns) taken.set(column, name)
    names.push(name)
    return []
  })
}

function typeNames({ where, kind, singularName, pluralName, collectionName }: Declared): readonly Fault[] {
  const names: readonly (readonly [pointer: string, name: string])[] =
    kind === 'component'
      ? []
      : [
          ['/info/singularName', singularName],
          ['/info/pluralName', pluralName],
        ]
  return [...names, ['/collectionName', collectionName] as const].flatMap(([pointer, name]) => {
    const problem = unfit(name, true)
    return problem === undefined ? [] : [{ where, pointer, ...problem }]
  })
}

export function checkNames(declared: Declared): readonly Fault[] {
  const { where, kind, attributes } = declared
  const unfit = [...attributes.keys()].flatMap((name): readonly Fault[] => {
    const found = nameProblem(name, kind === 'component')
    if (found === undefined) return []
    const { problem, remedy } = found
    const fault = { where, pointer: `/attributes${step(name)}`, problem }
    return [remedy === undefined ? fault : { ...fault, remedy }]
  })
  return [...typeNames(declared), ...unfit, ...sharedNames(declared)]
}
