import type { QueryTable } from './asked'
import type { LevelPath, Step } from './level'
import { populatedBy } from './populated'
import { isOfSeveral, targetsOf, type ToldLink, type ToldType, type TypesByUid } from './told'

/** A level of the query that can have filters and an order. */
export interface LevelChoice {
  readonly path: LevelPath
  readonly type: ToldType
  readonly name: string
}

export const stepTo = ({ name }: ToldLink, { links }: ToldType): Step => ({
  link: name,
  on: null,
  among: links.map((link) => link.name),
})

/** The top level, and all populated levels below it. */
export function levelChoices(types: TypesByUid, query: QueryTable, top: LevelChoice): readonly LevelChoice[] {
  const { links } = populatedBy(query['populate'])
  const below = [...links].flatMap(([name, asked]): readonly LevelChoice[] => {
    const link = top.type.links.find((one) => one.name === name)
    const [type] = link === undefined ? [] : targetsOf(types, link)
    if (link === undefined || type === undefined || isOfSeveral(link)) return []
    const path = [...top.path, stepTo(link, top.type)]
    return levelChoices(types, asked, { path, type, name: `${top.name} › ${name}` })
  })
  return [top, ...below]
}
