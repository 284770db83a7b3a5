import type { Fault } from '../errors'
import type { Attribute } from './attribute'
import type { Declarations, Declared } from './declared'
import { step } from './explain'
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

/** Whether the components and zone entries of one type are components. */
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

/** A component that contains itself has no end. Each circle is named once, where it closes. */
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

/** Where circles close, by the type and its attribute, with what is wrong. */
export const circlesOf = (all: Declarations): ReadonlyMap<string, string> =>
  new Map(findCircles(all).map(({ declared, use, problem }) => [`${declared.uid} ${use.attribute}`, problem]))
