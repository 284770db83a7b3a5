import { isRelation, isScalar, type ScalarAttribute } from './attribute'
import { isHidden } from './columns-of'
import type { Declared } from './declared'
import type { AttributeOutline, LinkField, ScalarOutline } from './model'

type Links = ReadonlyMap<string, LinkField>

const isText = (value: unknown): value is string => typeof value === 'string'

function scalarOutline({ type, required, enum: values }: ScalarAttribute): ScalarOutline {
  const isChoice = type === 'enumeration' && Array.isArray(values) && values.every(isText)
  return { type, required: required === true, values: isChoice ? values : null }
}

function outlineOf(name: string, declared: Declared, links: Links): AttributeOutline | null {
  const attribute = declared.attributes.get(name)
  if (attribute === undefined || isHidden(attribute)) return null
  if (isScalar(attribute)) return scalarOutline(attribute)
  const link = links.get(name)
  if (link === undefined) return null
  const { many, targets } = link
  if (isRelation(attribute)) return { type: 'relation', relation: attribute.relation, targets }
  switch (attribute.type) {
    case 'media':
      return { type: 'media', multiple: many }
    case 'component':
      return { type: 'component', repeatable: many, targets }
    case 'dynamiczone':
      return { type: 'dynamiczone', targets }
  }
}

/** What may be told of a type's own attributes: of which kind they are and where they lead, and nothing of their rules. */
export function outlinesOf(declared: Declared, links: Links): ReadonlyMap<string, AttributeOutline> {
  const outlines = [...declared.attributes.keys()].flatMap((name): [string, AttributeOutline][] => {
    const outline = outlineOf(name, declared, links)
    return outline === null ? [] : [[name, outline]]
  })
  return new Map(outlines)
}
