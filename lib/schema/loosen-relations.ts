import type { Attribute, ZoneAttribute } from './attribute'
import { circlesOf, isComponent } from './check-components'
import { nameProblem } from './check-names'
import { isHidden } from './columns-of'
import type { Declarations, Declared } from './declared'
import { settler } from './settled-relations'
import type { Uid } from './model'

/** An attribute that Strapi starts with, but that cannot be served as it is written. */
export interface CostlyAttribute {
  readonly uid: Uid
  readonly attribute: string
  readonly problem: string
}

interface Loosened {
  readonly all: Declarations
  readonly costs: readonly CostlyAttribute[]
}

/** What is left of an attribute, which may be nothing, and what is wrong with the rest. */
interface LeftOfAttribute {
  readonly attribute: Attribute | null
  readonly problem?: string
}

type Loosen = (declared: Declared, name: string, attribute: Attribute) => LeftOfAttribute

/** Every attribute by itself: as it is, in another form, or at the cost of leaving it out. */
function each(all: Declarations, loosen: Loosen): Loosened {
  const costs: CostlyAttribute[] = []
  const left = [...all.values()].map((declared): [string, Declared] => {
    const attributes = new Map<string, Attribute>()
    const aside = new Set(declared.aside)
    for (const [name, attribute] of declared.attributes) {
      const { attribute: kept, problem } = loosen(declared, name, attribute)
      if (kept === null) aside.add(name)
      else attributes.set(name, kept)
      if (problem !== undefined) costs.push({ uid: declared.uid, attribute: name, problem })
    }
    return [declared.uid, { ...declared, attributes, aside }]
  })
  return { all: new Map(left), costs }
}

function knownOnly(all: Declarations, zone: ZoneAttribute): LeftOfAttribute {
  const unknown = zone.components.filter((one) => !isComponent(all.get(one)))
  if (unknown.length === 0) return { attribute: zone }
  const components = zone.components.filter((one) => !unknown.includes(one))
  return { attribute: { ...zone, components }, problem: `there is no component ${unknown.join(', ')}` }
}

/** What a name, a zone or a circle of components costs. */
export function loosenParts(all: Declarations): Loosened {
  const circles = circlesOf(all)
  return each(all, ({ uid, kind }, name, attribute) => {
    const problem = nameProblem(name, kind === 'component')?.cost ?? circles.get(`${uid} ${name}`)
    if (problem !== undefined) return { attribute: null, problem }
    return attribute.type === 'dynamiczone' ? knownOnly(all, attribute) : { attribute }
  })
}

/** Private ones are not named to the host: they are in no answer in any case. */
const emptyIn = ({ attributes }: Declared, costs: readonly string[]): readonly string[] =>
  [...attributes].flatMap(([name, attribute]) =>
    costs.includes(name) && attribute.type === 'relation' && !isHidden(attribute) ? [name] : [],
  )

/** What relations cost, after those that Strapi does not start with were refused. */
export function loosenRelations(all: Declarations): Loosened {
  const settle = settler(all)
  const { all: left, costs } = each(all, (declared, name, attribute) => {
    const settled = settle(declared, name, attribute)
    return 'attribute' in settled ? settled : { attribute: null, problem: settled.problem }
  })
  const named = [...left.values()].map((kept): [string, Declared] => {
    const lost = costs.flatMap(({ uid, attribute }) =>
      uid === kept.uid && !kept.attributes.has(attribute) ? [attribute] : [],
    )
    return [kept.uid, { ...kept, emptyRelations: emptyIn(all.get(kept.uid) ?? kept, lost) }]
  })
  return { all: new Map(named), costs }
}
