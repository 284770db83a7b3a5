import type { Fault } from '../errors'
import { type Attribute, morphInverseKinds, morphOwnerKinds, pairKinds } from './attribute'
import { type CustomType, customTypeOf, type CustomTyping } from './custom-fields'
import { checkAttribute, type CheckedAttribute } from './check-definition'
import { step } from './explain'
import { isRecord } from './read-paths'
import type { CostlyAttribute } from './loosen-relations'

/** An attribute that names a custom field, of any type of storage. */
export interface CustomUse {
  readonly attribute: string
  readonly customField: string
  readonly isKnown: boolean
}

export interface DeclaredAttributes {
  readonly sound: ReadonlyMap<string, Attribute>
  readonly aside: ReadonlySet<string>
  readonly custom: readonly CustomUse[]
  readonly faults: readonly Fault[]
  readonly costs: readonly Omit<CostlyAttribute, 'uid'>[]
}

type WrittenAttribute = Readonly<Record<string, unknown>>

/** Until it is known it is checked as a text, which is what most are. What is an enumeration's to be is nowhere said. */
function scalarOf(type: CustomType | undefined): string {
  return type === undefined || type === 'enumeration' ? 'string' : type
}

const isCustom = (written: unknown): written is WrittenAttribute =>
  isRecord(written) && written['type'] === 'customField'

const unnamed = (where: string, pointer: string): Fault => ({
  where,
  pointer,
  problem: 'customField is missing',
  remedy: 'for example plugin::color-picker.color',
})

const isText = (value: unknown): boolean => typeof value === 'string'

/** Strapi's start makes a table or a list of values of these; all else it lets pass, and never answers with. */
function startsWith(written: unknown): boolean {
  if (!isRecord(written)) return false
  const { type, relation } = written
  if (type === 'customField') return false
  if (type === 'enumeration') return Array.isArray(written['enum'])
  if (type === 'component') return isText(written['component'])
  if (type !== 'relation') return isText(type)
  if ((morphOwnerKinds as readonly unknown[]).includes(relation)) return true
  const kinds: readonly unknown[] = [...pairKinds, ...morphInverseKinds]
  return kinds.includes(relation) && isText(written['target'])
}

/** One attribute after the other, those of custom fields as what they are kept as. */
export function declareAttributes(
  where: string,
  value: WrittenAttribute,
  typing: CustomTyping,
): DeclaredAttributes {
  const sound = new Map<string, Attribute>()
  const aside = new Set<string>()
  const custom: CustomUse[] = []
  const faults: Fault[] = []
  const costs: Omit<CostlyAttribute, 'uid'>[] = []
  const check = (name: string, written: unknown): CheckedAttribute => {
    const pointer = `/attributes${step(name)}`
    if (!isCustom(written)) return checkAttribute(where, pointer, written)
    const { customField } = written
    if (typeof customField !== 'string' || customField === '') return { faults: [unnamed(where, pointer)] }
    const type = customTypeOf(typing, customField)
    if (!typing.said.has(customField))
      custom.push({ attribute: name, customField, isKnown: type !== undefined })
    return checkAttribute(where, pointer, { ...written, type: scalarOf(type) })
  }
  const attributes = value['attributes']
  for (const [name, written] of isRecord(attributes) ? Object.entries(attributes) : []) {
    const checked = check(name, written)
    if ('attribute' in checked) {
      sound.set(name, checked.attribute)
    } else {
      aside.add(name)
      if (startsWith(written))
        costs.push({ attribute: name, problem: checked.faults.map(({ problem }) => problem).join(', ') })
      else faults.push(...checked.faults)
    }
  }
  return { sound, aside, custom, faults, costs }
}
