// The components of articles by hand: one statement for each kind of them.
import type { Ask, Row, Statement } from './database'
import { idsOf, key, texts } from './rows'
import { list, statement } from './sql'
import { writeComponent } from './write'

interface Part {
  readonly statement: Statement
  readonly names: readonly string[]
  readonly number: string | null
  readonly type: string
}

function part(
  type: string,
  table: string,
  columns: string,
  names: string,
  number: string | null = null,
): Part {
  return {
    statement: statement(
      `part-${type}`,
      'ids',
      `select l.entity_id, l.\`order\`, x.id, ${list('x', columns)} from articles_cmps l join components_shared_${table} x on x.id = l.cmp_id where l.entity_id in (?) and l.field = '${type === 'seo' ? 'seo' : 'zone'}' and l.component_type = 'shared.${type}'`,
    ),
    names: names.split(' '),
    number,
    type: `shared.${type}`,
  }
}

const seo = part('seo', 'seos', 'meta_title meta_description', 'metaTitle metaDescription')
const zone = [
  part('rich-text', 'rich_texts', 'body', 'body'),
  part('quote', 'quotes', 'text name', 'text name'),
  part('callout', 'callouts', 'title text url', 'title text url'),
  part('slider', 'sliders', 'title interval', 'title interval', 'interval'),
]
const socialNames = ['network', 'title', 'description']
const social = statement(
  'social',
  'ids',
  `select l.entity_id, x.id, x.network, x.title, x.description from components_shared_seos_cmps l join components_shared_socials x on x.id = l.cmp_id where l.entity_id in (?) and l.field = 'social' order by l.entity_id, l.\`order\``,
)

interface Placed {
  readonly place: number
  readonly text: string
}

function zones(found: readonly (readonly Row[])[]): Map<number, Placed[]> {
  const elements = new Map<number, Placed[]>()
  found.forEach((rows, index) => {
    const { names, number, type } = zone[index] ?? { names: [], number: null, type: '' }
    for (const row of rows) {
      const text = `{${writeComponent(row, 2, names, number)},"__component":"${type}"}`
      const placed = { place: key(row[1]), text }
      const known = elements.get(key(row[0]))
      if (known === undefined) elements.set(key(row[0]), [placed])
      else known.push(placed)
    }
  })
  return elements
}

export function zoneText(elements: Placed[] | undefined): string {
  if (elements === undefined) return ''
  return elements
    .sort((one, other) => one.place - other.place)
    .map(({ text }) => text)
    .join(',')
}

export async function readParts(
  ask: Ask,
  ids: readonly number[],
): Promise<{ seos: Map<number, string>; elements: Map<number, Placed[]> }> {
  const reading = Promise.all(zone.map((one) => ask(one.statement, ids)))
  const seoRows = await ask(seo.statement, ids)
  const socialRows = await ask(social, idsOf(seoRows, 2))
  const socialTexts = texts(socialRows, (row) => writeComponent(row, 1, socialNames, null))
  const seos = texts(
    seoRows,
    (row) => `${writeComponent(row, 2, seo.names, null)},"social":[${socialTexts.get(key(row[2])) ?? ''}]`,
  )
  return { seos, elements: zones(await reading) }
}
